select
    id, run_id, created_at, input_data, output_story, session_id, story_id, action_id, eval_results, passed, error,
    user_id, trial, status, score, latency_ms, cost_usd, output, details
from sb_eval_cases
where (user_id = $1 or $1 is null) and id in (select value from json_each($2))
order by id
