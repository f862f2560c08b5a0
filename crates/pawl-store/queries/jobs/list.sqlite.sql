select id, user_id, kind, payload, priority, state, attempts, run_at, error, created_at, finished_at
from jobs
where (user_id = $1 or $1 is null) and ($2 is null or state = $2)
order by created_at desc, id desc
limit $3
