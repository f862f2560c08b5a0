-- Which of these have a pattern by now, or are gone.
select asked.id
from unnest($3::text[]::uuid[]) asked (id), (select $2::uuid) tenant
where ($2 = $1 or $1 is null) and (
    exists (select 1 from failure_patterns p where p.user_id = $2 and p.evaluation_id = asked.id)
    or not exists (select 1 from evaluations e where e.user_id = $2 and e.id = asked.id)
)
