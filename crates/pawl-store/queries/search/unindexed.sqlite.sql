-- Letters are counted only where there may be too many.
select
    q.position, q.number, q.user_id, e.user_id,
    iif(octet_length(e.prompt) > 100000, substr(e.prompt, 1, 100000), e.prompt)
    || ' ' || iif(octet_length(e.response) > 100000, substr(e.response, 1, 100000), e.response)
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
    select
        number, user_id,
        iif(octet_length(prompt) > 100000, substr(prompt, 1, 100000), prompt)
        || ' ' || iif(octet_length(response) > 100000, substr(response, 1, 100000), response) as text
    from evaluations
    where (user_id = $1 or $1 is null)
        and number > (select number from _pawl_search_mark) and number <= (select claimed from _pawl_search_mark)
    order by number
    limit $2
)
