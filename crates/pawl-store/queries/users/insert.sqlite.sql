-- Whatever the clocks of two servers say, the first user stays the first.
insert into auth_users (id, email, created_at)
select $2, $3, max($4, coalesce((select min(created_at) + 1 from auth_users), $4))
where $2 = $1 or $1 is null
