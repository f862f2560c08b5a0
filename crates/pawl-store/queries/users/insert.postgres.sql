-- Whatever the clocks of two servers say, the first user stays the first.
insert into auth.users (id, email, created_at)
select $2::uuid, $3::text, greatest($4::timestamptz, (select min(created_at) + interval '1 microsecond' from auth.users))
where $2 = $1 or $1 is null
