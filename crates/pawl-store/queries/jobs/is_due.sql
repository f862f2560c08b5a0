select 1
from jobs
where (user_id = $1 or $1 is null)
    and (state = 'queued' and run_at <= $2 or state = 'running' and lease_until < $2)
limit 1
