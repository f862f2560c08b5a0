update jobs
set state = 'queued', attempts = 0, run_at = $3, finished_at = null
where (user_id = $1 or $1 is null) and id = $2 and state = 'dead'
    and not exists (
        select 1
        from jobs waiting
        where waiting.user_id = jobs.user_id and waiting.kind = jobs.kind
            and waiting.dedup_key = jobs.dedup_key and waiting.state = 'queued'
    )
