select e.user_id, e.interaction_id, e.id, e.content_hash
from jsonb_array_elements($2) k
join evaluations e on e.user_id = (k ->> 0)::uuid and e.interaction_id = k ->> 1
where (e.user_id = $1 or $1 is null)
