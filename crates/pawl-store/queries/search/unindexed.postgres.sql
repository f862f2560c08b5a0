-- Letters are counted only where there may be too many.
with waiting as (
    select number, user_id, evaluation_ids, changed
    from _pawl_search_queue
    where (user_id = $1 or $1 is null)
    order by number
    limit $2
), taken as (
    select number, user_id, evaluation_ids, changed
    from (
        select
            number, user_id, evaluation_ids, changed,
            sum(cardinality(evaluation_ids)) over (order by number) as interactions
        from waiting
    ) counted
    where interactions - cardinality(evaluation_ids) < $2
)
select
    t.number, i.id, case when t.changed then t.user_id end, e.user_id,
    case when octet_length(e.prompt) > 100000 then left(e.prompt, 100000) else e.prompt end
    || ' ' || case when octet_length(e.response) > 100000 then left(e.response, 100000) else e.response end
from taken t
cross join unnest(t.evaluation_ids) i (id)
left join evaluations e on e.id = i.id
order by t.number
