select b.segment, b.block, b.postings
from json_each($3) k
cross join _pawl_search_blocks b on b.segment = k.value ->> 0 and b.block = k.value ->> 1
where (b.user_id = $1 or $1 is null) and b.user_id = $2
