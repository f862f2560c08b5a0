-- How far an optimisation is: its status, its steps, and the calls that were begun.
select
    r.status,
    (
        select count(*)
        from prompt_steps s
        where (s.user_id = $1 or $1 is null) and s.user_id = r.user_id and s.run_id = r.id
    ),
    cast(coalesce(sum(case when c.is_reflection then 0 else 1 end), 0) as bigint),
    cast(coalesce(sum(case when c.is_reflection then 1 else 0 end), 0) as bigint)
from prompt_optimization_runs r
left join prompt_calls c on c.user_id = r.user_id and c.run_id = r.id
where (r.user_id = $1 or $1 is null) and r.id = $2 and r.deleted_at is null
group by r.id
