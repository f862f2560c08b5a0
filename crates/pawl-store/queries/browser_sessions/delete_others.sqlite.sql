-- All of the user's, where the one to keep is null.
delete from auth_browser_sessions
where user_id = $2 and (user_id = $1 or $1 is null) and ($3 is null or id <> $3)
