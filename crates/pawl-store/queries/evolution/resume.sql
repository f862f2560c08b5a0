-- Somebody is to go on with an optimisation that was stopped, unless whoever stops it is not done yet.
update prompt_optimization_runs
set status = 'pending', finish = null, error = null, completed_at = null
where (user_id = $1 or $1 is null) and id = $2 and status = 'cancelled' and deleted_at is null
    and not exists (
        select 1
        from jobs
        where jobs.user_id = prompt_optimization_runs.user_id and jobs.kind = 'evolve'
            and jobs.dedup_key = prompt_optimization_runs.id and jobs.state in ('queued', 'running')
    )
