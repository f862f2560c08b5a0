update prompt_calls
set tokens = $4, usd_nanos = $5, evaluation_id = $6, answer = $7, reusable_as = $8
where (user_id = $1 or $1 is null) and run_id = $2 and call = $3
