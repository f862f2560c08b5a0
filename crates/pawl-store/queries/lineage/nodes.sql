-- Ids that have a place in a tenant's lineage.
select distinct node
from lineage
where user_id = $2 and (user_id = $1 or $1 is null) and node > $3
order by node
limit $4
