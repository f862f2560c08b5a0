-- For everybody whose schedule it is and who has anything to work on.
insert into jobs (id, user_id, kind, payload, dedup_key, run_at, created_at)
select gen_random_uuid(), users.id, schedules.kind, schedules.payload, 'schedule ' || schedules.name, $3, $3
from schedules
join auth.users users on schedules.user_id is null or users.id = schedules.user_id
where schedules.id = $2 and (users.id = $1 or $1 is null)
    and exists (select 1 from evaluations where evaluations.user_id = users.id)
on conflict (user_id, kind, dedup_key) where state = 'queued' do nothing
