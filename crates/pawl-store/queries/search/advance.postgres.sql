-- Up to the first row that is not indexed; where there is none, up to now.
update _pawl_search_progress
set indexed_until = case
    when $2 then $3
    else coalesce((
        select min(e.received_at)
        from evaluations e
        where (e.user_id = $1 or $1 is null) and e.received_at > indexed_until - interval '1 minute'
            and not exists (select from _pawl_search s where s.user_id = e.user_id and s.evaluation_id = e.id)
    ), indexed_until)
end
where $1::uuid is null
