update _pawl_search
set gone = $4
where (user_id = $1 or $1 is null) and user_id = $2 and number = $3
