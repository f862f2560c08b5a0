-- Locked until the transaction ends, so that nobody else takes it up meanwhile.
update jobs
set attempts = 1
where (user_id = $1 or $1 is null) and id = $2 and lease = $3 and state = 'running'
