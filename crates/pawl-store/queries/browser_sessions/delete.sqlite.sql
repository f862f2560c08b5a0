delete from auth_browser_sessions
where id = $2 and (user_id = $1 or $1 is null)
