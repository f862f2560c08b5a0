delete from stale_hours
where (user_id = $1 or $1 is null) and user_id = $2 and hour = $3
