-- Whoever adds to a tenant's lineage does so alone, until the end of the transaction.
select pg_advisory_xact_lock(hashtextextended('pawl lineage ' || id::text, 0))
from auth.users
where (id = $1 or $1 is null) and id = $2
