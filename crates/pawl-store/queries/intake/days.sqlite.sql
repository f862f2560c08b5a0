select d.user_id, d.day, d.stored
from json_each($2) k
cross join intake_days d on d.user_id = k.value ->> 0 and d.day = k.value ->> 1
where (d.user_id = $1 or $1 is null)
