select 1
from schedules
where (user_id = $1 or $1 is null) and enabled and next_at <= $2
limit 1
