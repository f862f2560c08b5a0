-- What these nodes led to.
select distinct parent.kind, parent.node, entry.kind, entry.node
from lineage_parents as parent
join lineage as entry on entry.user_id = parent.user_id and entry.position = parent.position
where parent.user_id = $2 and (parent.user_id = $1 or $1 is null) and parent.node in (select unnest($3::text[]))
order by 1, 2, 3, 4
limit $4
