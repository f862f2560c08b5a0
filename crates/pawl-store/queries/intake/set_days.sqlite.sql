insert into intake_days (user_id, day, stored)
select user_id, day, stored
from (select value ->> 0 as user_id, value ->> 1 as day, value ->> 2 as stored from json_each($2)) used
where (user_id = $1 or $1 is null)
on conflict (user_id, day) do update set stored = excluded.stored
