insert into _pawl_search (rowid, document)
select number, document
from (select value ->> 0 as number, value ->> 1 as user_id, value ->> 2 as document from json_each($2)) found
where (user_id = $1 or $1 is null)
