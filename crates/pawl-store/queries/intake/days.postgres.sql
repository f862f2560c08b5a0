select d.user_id, d.day::text, d.stored
from jsonb_array_elements($2) k
join intake_days d on d.user_id = (k ->> 0)::uuid and d.day = (k ->> 1)::date
where (d.user_id = $1 or $1 is null)
