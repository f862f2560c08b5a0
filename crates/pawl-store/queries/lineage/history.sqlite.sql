-- What became of these nodes, the newest first.
select kind, node, position, event, at, sha256
from lineage
where user_id = $2 and (user_id = $1 or $1 is null) and node in (select value from json_each($3))
order by position desc
limit $4
