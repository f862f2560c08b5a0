select step, decision
from prompt_steps
where (user_id = $1 or $1 is null) and run_id = $2
order by step
limit $3
