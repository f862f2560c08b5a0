delete from _pawl_search
where (user_id = $1 or $1 is null) and user_id = $2 and number = $3 and gone = $4
