-- Whoever groups a tenant's patterns does so alone, while storing goes on.
select pg_advisory_xact_lock(hashtextextended('pawl mining ' || id::text, 0))
from auth.users
where (id = $1 or $1 is null) and id = $2
