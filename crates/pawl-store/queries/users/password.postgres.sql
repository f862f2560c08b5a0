select users.id, credentials.password_hash
from auth.users as users
left join auth.credentials as credentials on credentials.user_id = users.id
where (users.id = $1 or $1 is null) and (users.id = $2 or users.email = $3)
