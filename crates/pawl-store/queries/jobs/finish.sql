update jobs
set state = 'finished', finished_at = $4, lease = null, lease_until = null, error = null
where (user_id = $1 or $1 is null) and id = $2 and lease = $3 and state = 'running'
