select count(*)
from auth_users
where (id = $1 or $1 is null)
