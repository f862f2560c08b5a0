-- Only while it is pending, and where nobody has written something else in the meantime.
update suggestions
set suggestion_content = $4, version_history = $7, updated_at = $6
where user_id = $2 and (user_id = $1 or $1 is null) and suggestion_id = $3 and status = 'pending'
    and suggestion_content = $5 and version_history = $8
