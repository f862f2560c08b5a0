insert into auth_refresh_tokens (user_id, session_id, token_hash, created_at)
select $2, $3, $4, $5
where $2 = $1 or $1 is null
