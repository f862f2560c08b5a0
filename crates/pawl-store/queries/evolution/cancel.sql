-- Nobody is to go on with an optimisation.
update prompt_optimization_runs
set status = 'cancelled', finish = $3
where (user_id = $1 or $1 is null) and id = $2 and status in ('pending', 'running') and deleted_at is null
