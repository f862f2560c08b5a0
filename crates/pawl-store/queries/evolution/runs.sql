select
    id, signature_name, status, config, best_score, best_candidate_id, iterations, dimension_weights, finish, error,
    elapsed_ms, created_at, completed_at
from prompt_optimization_runs
where (user_id = $1 or $1 is null) and deleted_at is null
order by created_at desc, id desc
limit $2
