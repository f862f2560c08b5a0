select r.user_id, r.hour, r.data
from json_each($2) k
cross join interaction_rollups r on r.user_id = k.value ->> 0 and r.hour = (k.value ->> 1) * 1000000
where (r.user_id = $1 or $1 is null)
