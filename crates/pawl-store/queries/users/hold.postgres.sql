-- Whoever changes what a user logs in by does so alone.
select id
from auth.users
where (id = $1 or $1 is null) and id = $2
for no key update
