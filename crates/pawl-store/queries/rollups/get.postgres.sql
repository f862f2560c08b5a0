select r.user_id, r.hour, r.data
from jsonb_array_elements($2) k
join interaction_rollups r
    on r.user_id = (k ->> 0)::uuid and r.hour = timestamp 'epoch' + (k ->> 1)::bigint * interval '1 second'
where (r.user_id = $1 or $1 is null)
