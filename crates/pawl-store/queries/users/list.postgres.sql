select id, email, created_at
from auth.users
where (id = $1 or $1 is null)
order by created_at, id
limit $2
