delete from auth_users
where (id = $1 or $1 is null) and id = $2
