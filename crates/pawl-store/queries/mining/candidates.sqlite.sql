-- Failing interactions without a pattern, in the order of their time, after a place.
select e.id, e.interaction_id, e.prompt, e.response, e.score, e.flags, e.created_at, e.trace, t.spans, t.user_hash
from evaluations e
left join interaction_traces t on t.user_id = e.user_id and t.trace_id = e.interaction_id
where (e.user_id = $1 or $1 is null) and e.user_id = $2
    and e.created_at >= $3
    and (e.created_at, e.id) > ($4, $5)
    and (
        cast(e.score as real) < $6 or e.has_error
        or e.flags <> '[]' and exists (
            select 1 from json_each(e.flags) flag where flag.value in (select value from json_each($7))
        )
    )
    and not exists (
        select 1 from failure_patterns p where p.user_id = e.user_id and p.evaluation_id = e.id
    )
order by e.created_at, e.id
limit $8
