delete from _pawl_search_queue
where (user_id = $1 or $1 is null)
    and number = any(array(select value::bigint from jsonb_array_elements($2)))
