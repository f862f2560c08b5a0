-- What became of a candidate that was tried.
update prompt_candidates
set status = $4, reason = $5
where (user_id = $1 or $1 is null) and run_id = $2 and digest = $3 and status <> 'refused'
returning user_id, id, parents
