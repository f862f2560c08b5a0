-- What a run lost, calls that have no answer among it, and how many of its steps are decided.
select
    cast(r.lost_metric_calls + coalesce(sum(case when c.is_reflection then 0 else 1 end), 0) as bigint),
    cast(r.lost_reflections + coalesce(sum(case when c.is_reflection then 1 else 0 end), 0) as bigint),
    cast(r.lost_tokens + coalesce(sum(c.tokens), 0) as bigint),
    cast(r.lost_usd_nanos + coalesce(sum(c.usd_nanos), 0) as bigint),
    (
        select count(*)
        from prompt_steps s
        where (s.user_id = $1 or $1 is null) and s.user_id = r.user_id and s.run_id = r.id and s.step < $3
    )
from prompt_optimization_runs r
left join prompt_calls c
    on c.user_id = r.user_id and c.run_id = r.id and c.answer is null and c.evaluation_id is null
where (r.user_id = $1 or $1 is null) and r.id = $2
group by r.id
