insert into intake_ledger (user_id, interaction_id, day, reason, attempts, first_at, last_at)
select user_id, interaction_id, day, reason, attempts, $3, $3
from (
    select
        (k ->> 0)::uuid as user_id, k ->> 1 as interaction_id, (k ->> 2)::date as day, k ->> 3 as reason,
        (k ->> 4)::int as attempts
    from jsonb_array_elements($2) k
) dropped
where (user_id = $1 or $1 is null)
on conflict (user_id, interaction_id, day, reason) do update
set attempts = least(intake_ledger.attempts::bigint + excluded.attempts, 2147483647)::int, last_at = excluded.last_at
returning user_id, interaction_id, reason, attempts
