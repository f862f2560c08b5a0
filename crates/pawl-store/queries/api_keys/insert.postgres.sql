insert into auth.api_keys (user_id, id, scope, key_hash, last_four, created_at)
select $2::uuid, $3::uuid, $4::text, $5::bytea, $6::text, $7::timestamptz
where $2 = $1 or $1 is null
