-- An optimisation is under way, unless it is over.
update prompt_optimization_runs
set status = 'running'
where (user_id = $1 or $1 is null) and id = $2 and status in ('pending', 'running') and deleted_at is null
