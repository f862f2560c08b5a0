select
    id, run_id, instructions, components, digest, status, parents, edited, reason, step, generation, coverage, avg_score,
    dimension_scores, created_at
from prompt_candidates
where (user_id = $1 or $1 is null) and run_id = $2 and deleted_at is null
order by step, created_at, id
limit $3
