insert into intake_days (user_id, day, stored)
select user_id, day, stored
from (
    select (k ->> 0)::uuid as user_id, (k ->> 1)::date as day, (k ->> 2)::bigint as stored
    from jsonb_array_elements($2) k
) used
where (user_id = $1 or $1 is null)
on conflict (user_id, day) do update set stored = excluded.stored
