select number, documents
from _pawl_search
where (user_id = $1 or $1 is null) and user_id = $2 and number in (select value from json_each($3))
