select q.position, q.number, q.user_id, e.user_id, substr(e.prompt, 1, 100000) || ' ' || substr(e.response, 1, 100000)
from (
    select position, number, user_id
    from _pawl_search_queue
    where (user_id = $1 or $1 is null)
    order by position
    limit $2
) q
left join evaluations e on e.number = q.number
union all
select null, number, null, user_id, text
from (
    select number, user_id, substr(prompt, 1, 100000) || ' ' || substr(response, 1, 100000) as text
    from evaluations
    where (user_id = $1 or $1 is null)
        and number > (select number from _pawl_search_mark) and number <= (select claimed from _pawl_search_mark)
    order by number
    limit $2
)
