select id, user_id, scope, last_four, created_at, key_hash
from auth.api_keys
where (user_id = $1 or $1 is null) and key_hash = $2
