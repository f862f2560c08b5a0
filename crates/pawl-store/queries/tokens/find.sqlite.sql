select tokens.user_id, tokens.session_id, tokens.used_at, sessions.refreshed_at
from auth_refresh_tokens as tokens
inner join auth_sessions as sessions on sessions.id = tokens.session_id and sessions.user_id = tokens.user_id
where tokens.token_hash = $2 and (tokens.user_id = $1 or $1 is null)
