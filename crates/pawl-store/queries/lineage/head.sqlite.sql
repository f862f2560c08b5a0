-- The newest entry of a tenant, and the time.
select cast(unixepoch('subsec') * 1000000 as integer), newest.position, newest.hash
from (select 1) as one
left join (
    select position, hash
    from lineage
    where user_id = $2 and (user_id = $1 or $1 is null)
    order by position desc
    limit 1
) as newest on true
