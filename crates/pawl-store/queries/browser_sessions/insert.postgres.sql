insert into auth.browser_sessions (user_id, id, secret_hash, created_at, rotated_at)
select $2::uuid, $3::uuid, $4::bytea, $5::timestamptz, $5::timestamptz
where $2 = $1 or $1 is null
