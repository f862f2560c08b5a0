-- Triggers keep what is indexed as it is, and the rows behind it are indexed in their turn.
select user_id
from evaluations
where (user_id = $1 or $1 is null) and user_id = $2 and created_at >= $3 and created_at < $4
limit 0
