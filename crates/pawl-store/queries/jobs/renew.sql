update jobs
set lease_until = $4
where (user_id = $1 or $1 is null) and id = $2 and lease = $3 and state = 'running'
