-- One that waits already stands for both.
insert into jobs (id, user_id, kind, payload, dedup_key, priority, run_at, created_at)
select $3::uuid, $2::uuid, $4::text, $5::jsonb, $6::text, $7::int8::int, $8::timestamptz, $8::timestamptz
where $2 = $1 or $1 is null
on conflict (user_id, kind, dedup_key) where state = 'queued' do nothing
