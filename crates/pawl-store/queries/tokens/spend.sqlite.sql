update auth_refresh_tokens
set used_at = $3
where token_hash = $2 and used_at is null and (user_id = $1 or $1 is null)
