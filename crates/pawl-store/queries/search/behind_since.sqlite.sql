select min(since)
from (
    select min(queued_at) as since from _pawl_search_queue where (user_id = $1 or $1 is null)
    union all
    select received_at
    from (
        select received_at
        from evaluations
        where (user_id = $1 or $1 is null) and number > (select number from _pawl_search_mark)
        order by number
        limit 1
    )
)
