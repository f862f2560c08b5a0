-- Those that cost one worker after the other its life.
update jobs
set state = 'dead', finished_at = $2, error = $4, lease = null, lease_until = null
where (user_id = $1 or $1 is null) and state = 'running' and lease_until < $2 and attempts >= $3
