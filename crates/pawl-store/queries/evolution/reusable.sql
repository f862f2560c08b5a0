-- A score that an earlier run stored for the same candidate, example and target.
select e.score, e.feedback, e.trace, e.dimension_scores
from prompt_calls c
join prompt_evaluations e on e.id = c.evaluation_id and e.user_id = c.user_id and e.deleted_at is null
where (c.user_id = $1 or $1 is null) and c.reusable_as = $2
order by e.created_at, e.id
limit 1
