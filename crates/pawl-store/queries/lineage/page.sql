-- Entries of a tenant, in the order of the chain.
select position, kind, node, event, sha256, at, hash
from lineage
where user_id = $2 and (user_id = $1 or $1 is null) and position > $3
order by position
limit $4
