select status, passed, error is not null, count(*), max(created_at)
from sb_eval_cases
where run_id = $2 and (user_id = $1 or $1 is null)
group by status, passed, error is not null
