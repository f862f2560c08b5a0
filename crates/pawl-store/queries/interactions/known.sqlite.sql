select e.user_id, e.interaction_id, e.id, e.content_hash
from json_each($2) k
cross join evaluations e on e.user_id = k.value ->> 0 and e.interaction_id = k.value ->> 1
where (e.user_id = $1 or $1 is null)
