insert into auth.sessions (user_id, id, created_at, refreshed_at)
select $2::uuid, $3::uuid, $4::timestamptz, $4::timestamptz
where $2 = $1 or $1 is null
