-- How good a candidate is, from its rows.
update prompt_candidates
set avg_score = $3, dimension_scores = $4, coverage = $5
where (user_id = $1 or $1 is null) and id = $2
returning user_id
