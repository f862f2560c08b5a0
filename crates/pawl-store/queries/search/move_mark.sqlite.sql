update _pawl_search_mark set number = $3 where cast($1 as text) is null and number < $2
