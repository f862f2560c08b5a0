-- What went wrong, as it was: the interactions behind the patterns of a suggestion, the latest first.
select e.id, e.prompt, e.response, e.trace
from failure_patterns p
join evaluations e on e.user_id = p.user_id and e.id = p.evaluation_id
where (p.user_id = $1 or $1 is null) and p.user_id = $2 and p.suggestion_id = $3
order by p.occurred_at desc, p.pattern_id
limit $4
