delete from auth_refresh_tokens
where session_id = $2 and used_at < $3 and (user_id = $1 or $1 is null)
