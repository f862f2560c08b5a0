update mining_runs
set picked_up_count = picked_up_count + $4, pattern_count = pattern_count + $5, joined_count = joined_count + $6,
    suggestion_count = suggestion_count + $7, skipped_count = skipped_count + $8, error_count = error_count + $9,
    cost_usd = $10
where user_id = $2 and (user_id = $1 or $1 is null) and run_id = $3
