insert into _pawl_search (rowid, tenant, document)
select number, replace(user_id, '-', ''), substr(prompt, 1, 100000) || ' ' || substr(response, 1, 100000)
from evaluations
where (user_id = $1 or $1 is null) and number > (select number from _pawl_search_progress)
order by number
limit $2
