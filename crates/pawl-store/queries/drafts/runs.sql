select
    run_id, started_at, finished_at, triggered_by, batch_size, picked_up_count, generated_count, skipped_count,
    error_count, suggestion_outcomes, cost_usd
from eval_test_runs
where (user_id = $1 or $1 is null)
order by started_at desc, run_id
limit $2
