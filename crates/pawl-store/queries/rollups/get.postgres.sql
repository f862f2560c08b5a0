-- The keys are read apart: within the join, what reads them could tell of rows that nobody may see, and so no index would
-- be used under row level security.
select r.user_id, r.hour, r.data
from (
    select (k ->> 0)::uuid as user_id, timestamp 'epoch' + (k ->> 1)::bigint * interval '1 second' as hour
    from jsonb_array_elements($2) k
    offset 0
) k
join interaction_rollups r on r.user_id = k.user_id and r.hour = k.hour
where (r.user_id = $1 or $1 is null)
