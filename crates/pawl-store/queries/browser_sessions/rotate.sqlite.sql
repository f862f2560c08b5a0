-- Where somebody else has done it in the meantime the secret is another one, and nothing happens.
update auth_browser_sessions
set secret_hash = $3, previous_hash = $2, rotated_at = $4
where secret_hash = $2 and (user_id = $1 or $1 is null)
