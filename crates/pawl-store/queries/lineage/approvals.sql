-- The suggestions that are approved.
select distinct node
from lineage
where user_id = $2 and (user_id = $1 or $1 is null) and kind = 'approval'
limit $3
