select users.id, credentials.password_hash
from auth_users as users
left join auth_credentials as credentials on credentials.user_id = users.id
where (users.id = $1 or $1 is null) and (users.id = $2 or users.email = $3)
