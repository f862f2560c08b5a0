select count(*)
from auth.users
where (id = $1 or $1 is null)
