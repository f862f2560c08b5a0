insert into auth_credentials (user_id, password_hash, changed_at)
select $2, $3, $4
where $2 = $1 or $1 is null
on conflict (user_id) do update set password_hash = excluded.password_hash, changed_at = excluded.changed_at
