update sb_eval_runs
set user_id = $2
where user_id is null and (user_id = $1 or $1 is null)
