-- How far a run is, and what it came to so far.
-- The cast: what is null first would be prepared as the 32 bits of the column, and refused with a score after it.
update prompt_optimization_runs
set status = $3, best_score = cast($4 as double precision), best_candidate_id = $5, iterations = $6,
    finish = $7, error = $8, elapsed_ms = $9, completed_at = $10
where (user_id = $1 or $1 is null) and id = $2 and deleted_at is null
