update schedules
set enabled = coalesce($3, enabled), every_seconds = coalesce($4, every_seconds), next_at = min(next_at, $5)
where (user_id = $1 or $1 is null) and name = $2
