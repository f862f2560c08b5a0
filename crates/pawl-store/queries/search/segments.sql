select number, size, blocks, gone, first, last
from _pawl_search
where (user_id = $1 or $1 is null) and user_id = $2
order by number
