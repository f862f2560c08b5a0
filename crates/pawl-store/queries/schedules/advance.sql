update schedules
set next_at = $3
where (user_id = $1 or $1 is null) and id = $2
