update prompts
set live_version = $4, updated_at = $5
where (user_id = $1 or $1 is null) and user_id = $2 and name = $3
