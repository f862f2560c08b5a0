-- Whether a candidate is of an optimisation over the approved tests.
select count(*)
from prompt_candidates as candidate
join prompt_optimization_runs as run on run.user_id = candidate.user_id and run.id = candidate.run_id
where candidate.user_id = $2 and (candidate.user_id = $1 or $1 is null) and candidate.id = $3
    and run.config ->> 'suite' = 'approved'
