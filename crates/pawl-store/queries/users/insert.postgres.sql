insert into auth.users (id, email, created_at)
select $2::uuid, $3::text, $4::timestamptz
where $2 = $1 or $1 is null
