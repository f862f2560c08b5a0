insert into auth_sessions (user_id, id, created_at, refreshed_at)
select $2, $3, $4, $4
where $2 = $1 or $1 is null
