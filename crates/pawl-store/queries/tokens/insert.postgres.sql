insert into auth.refresh_tokens (user_id, session_id, token_hash, created_at)
select $2::uuid, $3::uuid, $4::bytea, $5::timestamptz
where $2 = $1 or $1 is null
