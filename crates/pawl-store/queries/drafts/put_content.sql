update suggestions
set suggestion_content = $4, version_history = $5, updated_at = $6
where user_id = $2 and (user_id = $1 or $1 is null) and suggestion_id = $3
