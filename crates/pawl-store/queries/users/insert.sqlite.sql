insert into auth_users (id, email, created_at)
select $2, $3, $4
where $2 = $1 or $1 is null
