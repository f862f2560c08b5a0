select distinct user_id
from stale_hours
where (user_id = $1 or $1 is null)
order by user_id
limit $2
