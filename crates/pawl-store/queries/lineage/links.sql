-- What led to the nodes of a stretch of entries.
select position, kind, node
from lineage_parents
where user_id = $2 and (user_id = $1 or $1 is null) and position > $3 and position <= $4
