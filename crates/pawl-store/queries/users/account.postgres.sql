select
    id, email, created_at, coalesce(updated_at, created_at), last_sign_in_at, raw_app_meta_data, raw_user_meta_data,
    id = (select id from auth.users order by created_at, id limit 1)
from auth.users
where (id = $1 or $1 is null) and id = $2
