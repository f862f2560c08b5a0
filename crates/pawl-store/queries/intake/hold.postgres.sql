-- Whoever stores interactions of a tenant does so alone, on whichever server: the day's cap is exact.
select id
from auth.users
where (id = $1 or $1 is null) and id = any($2::text[]::uuid[])
order by id
for no key update
