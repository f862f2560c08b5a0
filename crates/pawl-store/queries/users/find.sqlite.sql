select id, email, created_at
from auth_users
where (id = $1 or $1 is null) and (id = $2 or lower(email) = lower($3))
