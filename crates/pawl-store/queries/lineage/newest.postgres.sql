-- The newest entry of each kind for these nodes.
select kind, node, position, event, at, sha256
from lineage
where user_id = $2 and (user_id = $1 or $1 is null) and position in (
    select max(position)
    from lineage
    where user_id = $2 and node in (select unnest($3::text[]))
    group by node, kind
)
