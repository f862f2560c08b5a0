select run_id, suggestion_id, error_type, error_message, recorded_at, model_response_sha256, model_response_excerpt
from eval_test_errors
where (user_id = $1 or $1 is null) and run_id = $2
order by recorded_at, suggestion_id
limit $3
