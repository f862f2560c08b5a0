insert into auth_api_keys (user_id, id, scope, key_hash, last_four, created_at)
select $2, $3, $4, $5, $6, $7
where $2 = $1 or $1 is null
