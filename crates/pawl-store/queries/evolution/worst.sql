-- What a candidate did worst.
select id, candidate_id, example_id, score, feedback, trace, dimension_scores, created_at
from prompt_evaluations
where (user_id = $1 or $1 is null) and candidate_id = $2 and deleted_at is null
order by score, example_id, created_at, id
limit $3
