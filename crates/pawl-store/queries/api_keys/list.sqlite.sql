select id, user_id, scope, last_four, created_at
from auth_api_keys
where (user_id = $1 or $1 is null) and user_id = $2
order by created_at, id
