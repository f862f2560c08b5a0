select
    id, run_id, created_at, input_data, output_story, session_id, story_id, action_id, eval_results, passed, error,
    user_id, trial, status, score, latency_ms, cost_usd, output, details
from sb_eval_cases
where run_id = $2 and (user_id = $1 or $1 is null) and id > $3
    and coalesce(status, case when error is not null then 'error' when passed then 'passed' else 'failed' end) = $5
order by id
limit $4
