delete from auth_api_keys
where id = $3 and user_id = $2 and (user_id = $1 or $1 is null)
