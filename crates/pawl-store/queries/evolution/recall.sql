-- The answer to a call: a row of its own for what has a score.
select c.tokens, c.usd_nanos, c.answer, e.score, e.feedback, e.trace, e.dimension_scores
from prompt_calls c
left join prompt_evaluations e on e.id = c.evaluation_id and e.user_id = c.user_id and e.deleted_at is null
where (c.user_id = $1 or $1 is null) and c.run_id = $2 and c.call = $3
    and (c.answer is not null or e.id is not null)
