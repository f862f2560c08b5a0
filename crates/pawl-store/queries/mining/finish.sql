update mining_runs
set finished_at = $4
where user_id = $2 and (user_id = $1 or $1 is null) and run_id = $3
