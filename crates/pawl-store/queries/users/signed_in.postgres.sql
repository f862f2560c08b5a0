update auth.users
set last_sign_in_at = $3, updated_at = $3
where (id = $1 or $1 is null) and id = $2
