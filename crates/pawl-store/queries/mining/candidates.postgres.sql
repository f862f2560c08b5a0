-- Failing interactions without a pattern, in the order of their time, after a place. Each is looked for by itself
-- (offset 0), rather than all patterns being read for every page.
select e.id, e.interaction_id, e.prompt, e.response, e.score, e.flags, e.created_at, e.trace, t.spans, t.user_hash
from evaluations e
left join interaction_traces t on t.user_id = e.user_id and t.trace_id = e.interaction_id
where (e.user_id = $1 or $1 is null) and e.user_id = $2
    and e.created_at >= ($3::timestamptz at time zone 'UTC')
    and e.created_at >= ($4::timestamptz at time zone 'UTC')
    and (e.created_at, e.id) > ($4::timestamptz at time zone 'UTC', $5::uuid)
    and (e.score < $6 or e.has_error or e.flags && $7::text[])
    and not exists (
        select 1 from failure_patterns p where p.user_id = e.user_id and p.evaluation_id = e.id offset 0
    )
order by e.created_at, e.id
limit $8
