update auth_users
set email = $3, raw_app_meta_data = $4, raw_user_meta_data = $5, updated_at = $6
where (id = $1 or $1 is null) and id = $2
