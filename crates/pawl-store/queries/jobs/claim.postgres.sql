-- The most urgent one that is due, or whose worker has given no sign of life.
update jobs
set state = 'running', attempts = attempts + 1, lease = $2::uuid, lease_until = $4
where id = (
    select id
    from jobs
    where (user_id = $1 or $1 is null) and kind = any($5::text[])
        and (state = 'queued' and run_at <= $3 or state = 'running' and lease_until < $3)
    order by priority desc, run_at, id
    limit 1
    for update skip locked
)
returning id, user_id, kind, payload, attempts
