-- One that waits already stands for both.
insert into jobs (id, user_id, kind, payload, dedup_key, priority, run_at, created_at)
select $3, $2, $4, $5, $6, $7, $8, $8
where $2 = $1 or $1 is null
on conflict (user_id, kind, dedup_key) where state = 'queued' do nothing
