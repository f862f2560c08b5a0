select
    id, created_at, run_name, dataset_version, model, prompt_version, total_cases, passed_cases, failed_cases,
    status, completed_at, error, user_id, suite, target, suite_hash, dataset_hash, settings
from sb_eval_runs
where id = $2 and (user_id = $1 or $1 is null)
