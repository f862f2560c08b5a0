update evaluations
set has_error = true
where user_id = $2 and id = $3 and not has_error and ($2 = $1 or $1 is null)
