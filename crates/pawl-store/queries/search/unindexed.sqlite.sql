select q.number, e.id, e.user_id, substr(e.prompt, 1, 100000) || ' ' || substr(e.response, 1, 100000)
from (
    select number from _pawl_search_queue where (user_id = $1 or $1 is null) order by number limit $2
) q
left join evaluations e on e.number = q.number
