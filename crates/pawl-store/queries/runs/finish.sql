update sb_eval_runs
set status = $3, completed_at = $4, error = $5, total_cases = $6, passed_cases = $7, failed_cases = $8
where id = $2 and (user_id = $1 or $1 is null)
returning user_id
