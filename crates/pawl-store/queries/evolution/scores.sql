-- Every score of a run, without what led to it.
select e.candidate_id, e.example_id, e.score, e.dimension_scores
from prompt_candidates c
join prompt_evaluations e on e.candidate_id = c.id and e.user_id = c.user_id and e.deleted_at is null
where (c.user_id = $1 or $1 is null) and c.run_id = $2 and c.deleted_at is null
order by e.candidate_id, e.example_id, e.created_at, e.id
