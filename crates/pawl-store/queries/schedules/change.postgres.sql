update schedules
set enabled = coalesce($3::boolean, enabled), every_seconds = coalesce($4::int8::int, every_seconds),
    next_at = least(next_at, $5)
where (user_id = $1 or $1 is null) and name = $2
