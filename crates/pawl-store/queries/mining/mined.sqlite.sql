-- Which of these have a pattern by now, or are gone.
select asked.value
from json_each($3) asked
where ($2 = $1 or $1 is null) and (
    exists (select 1 from failure_patterns p where p.user_id = $2 and p.evaluation_id = asked.value)
    or not exists (select 1 from evaluations e where e.user_id = $2 and e.id = asked.value)
)
