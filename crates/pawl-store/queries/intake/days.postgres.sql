-- The keys are read apart: within the join, what reads them could tell of rows that nobody may see, and so no index would
-- be used under row level security.
select d.user_id, d.day::text, d.stored
from (
    select (k ->> 0)::uuid as user_id, (k ->> 1)::date as day
    from jsonb_array_elements($2) k
    offset 0
) k
join intake_days d on d.user_id = k.user_id and d.day = k.day
where (d.user_id = $1 or $1 is null)
