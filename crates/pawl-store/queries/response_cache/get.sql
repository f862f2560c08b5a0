select value
from response_cache
where id = $2 and (user_id = $1 or $1 is null) and created_at >= $3
