select id, cast(input_data ->> '$.id' as text), trial, status, passed, error is not null, score, eval_results
from sb_eval_cases
where run_id = $2 and (user_id = $1 or $1 is null) and id > $3
order by id
limit $4
