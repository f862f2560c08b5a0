update suggestions
set status = $4, approval_metadata = $5, version_history = $6, updated_at = $7
where user_id = $2 and (user_id = $1 or $1 is null) and suggestion_id = $3
