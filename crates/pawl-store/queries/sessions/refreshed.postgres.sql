update auth.sessions
set refreshed_at = $3
where id = $2 and (user_id = $1 or $1 is null)
