select exists (
    select
    from evaluations e
    where (e.user_id = $1 or $1 is null)
        and e.received_at > (select indexed_until - interval '1 minute' from _pawl_search_progress)
        and not exists (select from _pawl_search s where s.user_id = e.user_id and s.evaluation_id = e.id)
)
