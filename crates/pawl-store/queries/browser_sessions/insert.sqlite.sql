insert into auth_browser_sessions (user_id, id, secret_hash, created_at, rotated_at)
select $2, $3, $4, $5, $5
where $2 = $1 or $1 is null
