select postings
from _pawl_search_blocks
where (user_id = $1 or $1 is null) and user_id = $2 and segment = $3
order by block
