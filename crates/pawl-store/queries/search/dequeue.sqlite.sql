delete from _pawl_search_queue
where (user_id = $1 or $1 is null) and position in (select value from json_each($2))
