select
    id, created_at, run_name, dataset_version, model, prompt_version, total_cases, passed_cases, failed_cases,
    status, completed_at, error, user_id, suite, target, suite_hash, dataset_hash, settings
from sb_eval_runs
where (user_id = $1 or $1 is null)
    and (status = $2 or $2 is null)
    and (suite = $3 or $3 is null)
    and (created_at, id) < ($4, $5)
order by created_at desc, id desc
limit $6
