select refreshed_at
from auth.sessions
where id = $3 and user_id = $2 and (user_id = $1 or $1 is null)
