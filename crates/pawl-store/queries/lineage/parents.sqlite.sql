-- What led to these nodes.
select distinct entry.kind, entry.node, parent.kind, parent.node
from lineage as entry
join lineage_parents as parent on parent.user_id = entry.user_id and parent.position = entry.position
where entry.user_id = $2 and (entry.user_id = $1 or $1 is null) and entry.node in (select value from json_each($3))
order by 1, 2, 3, 4
limit $4
