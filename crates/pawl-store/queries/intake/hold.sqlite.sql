-- SQLite has one writer at a time already.
select id
from auth_users
where (id = $1 or $1 is null) and id in (select value from json_each($2))
order by id
