-- Whether nobody else is at it.
select pg_try_advisory_xact_lock(hashtextextended('pawl search', 0)) where cast($1 as text) is null
