select id, user_id, secret_hash = $2, created_at, rotated_at
from auth.browser_sessions
where (secret_hash = $2 or previous_hash = $2) and (user_id = $1 or $1 is null)
