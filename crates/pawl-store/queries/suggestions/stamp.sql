-- Whether anything has changed.
select count(*), max(updated_at)
from suggestions
where (user_id = $1 or $1 is null) and user_id = $2
