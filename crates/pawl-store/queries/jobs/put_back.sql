-- As dead where there have been enough attempts; a newer one may wait in its place.
update jobs
set state = case
        when attempts >= $6 then 'dead'
        when exists (
            select 1
            from jobs waiting
            where waiting.user_id = jobs.user_id and waiting.kind = jobs.kind
                and waiting.dedup_key = jobs.dedup_key and waiting.state = 'queued'
        ) then 'finished'
        else 'queued'
    end,
    run_at = $4, error = $5, lease = null, lease_until = null,
    finished_at = case when attempts >= $6 then $7 else finished_at end
where (user_id = $1 or $1 is null) and id = $2 and lease = $3 and state = 'running'
returning state
