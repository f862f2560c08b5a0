-- A call is begun again: what it took is lost.
update prompt_optimization_runs
set lost_metric_calls = lost_metric_calls + case when c.is_reflection then 0 else 1 end,
    lost_reflections = lost_reflections + case when c.is_reflection then 1 else 0 end,
    lost_tokens = lost_tokens + c.tokens,
    lost_usd_nanos = lost_usd_nanos + c.usd_nanos
from prompt_calls c
where (c.user_id = $1 or $1 is null) and c.user_id = prompt_optimization_runs.user_id
    and c.run_id = prompt_optimization_runs.id and c.run_id = $2 and c.call = $3
