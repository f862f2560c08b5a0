-- A job that was taken up again goes on with its run.
insert into mining_runs (user_id, run_id, job_id, triggered_by, extracted_by, embedded_by, since, started_at)
select $2, $3, $4, $5, $6, $7, $8, $9
where $2 = $1 or $1 is null
on conflict (user_id, job_id) where job_id is not null do update set finished_at = null
returning run_id, cost_usd
