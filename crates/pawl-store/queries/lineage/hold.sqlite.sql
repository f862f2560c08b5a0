-- SQLite has one writer at a time already.
select 1
from auth_users
where (id = $1 or $1 is null) and id = $2
