delete from response_cache
where created_at < $2 and (user_id = $1 or $1 is null)
