insert into intake_ledger (user_id, interaction_id, day, reason, attempts, first_at, last_at)
select user_id, interaction_id, day, reason, attempts, $3, $3
from (
    select
        value ->> 0 as user_id, value ->> 1 as interaction_id, value ->> 2 as day, value ->> 3 as reason,
        value ->> 4 as attempts
    from json_each($2)
) dropped
where (user_id = $1 or $1 is null)
on conflict (user_id, interaction_id, day, reason) do update
set attempts = min(intake_ledger.attempts + excluded.attempts, 2147483647), last_at = excluded.last_at
returning user_id, interaction_id, reason, attempts
