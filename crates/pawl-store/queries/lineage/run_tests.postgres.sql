-- The approved tests that a run was of.
select distinct input_data #>> '{metadata,suggestion_id}'
from sb_eval_cases
where run_id = $3 and user_id = $2 and (user_id = $1 or $1 is null) and exists (
    select 1 from sb_eval_runs as run where run.id = run_id and run.suite = 'approved'
) and input_data #>> '{metadata,suggestion_id}' is not null
limit $4
