update sb_eval_runs
set status = 'running', completed_at = null, error = null
where id = $2 and (user_id = $1 or $1 is null)
returning user_id
