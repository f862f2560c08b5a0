-- Each key is looked up by itself: in a join, what reads the keys could tell of rows that nobody may see, and so no index
-- would be used under row level security.
select e.user_id, e.interaction_id, e.id, e.content_hash
from (select (k ->> 0)::uuid as user_id, k ->> 1 as interaction_id from jsonb_array_elements($2) k offset 0) k
cross join lateral (
    select * from evaluations where user_id = k.user_id and interaction_id = k.interaction_id offset 0
) e
where (e.user_id = $1 or $1 is null)
