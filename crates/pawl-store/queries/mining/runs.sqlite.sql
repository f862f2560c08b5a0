select
    run_id, triggered_by, extracted_by, embedded_by, since, started_at, finished_at, picked_up_count, pattern_count,
    joined_count, suggestion_count, skipped_count, error_count, cost_usd
from mining_runs
where (user_id = $1 or $1 is null) and ($3 is null or run_id = $3)
order by started_at desc, run_id
limit $2
