select id, user_id, name, kind, payload, every_seconds, enabled, next_at
from schedules
where (user_id = $1 or $1 is null) and enabled and next_at <= $2
order by next_at, id
