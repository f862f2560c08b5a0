-- The newest entry of a tenant, and the time: that of the database, so that all servers tell the same.
select clock_timestamp(), newest.position, newest.hash
from (select 1) as one
left join lateral (
    select position, hash
    from lineage
    where user_id = $2 and (user_id = $1 or $1 is null)
    order by position desc
    limit 1
) as newest on true
