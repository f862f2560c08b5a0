-- The keys are read apart: within the join, what reads them could tell of rows that nobody may see, and so no index would
-- be used under row level security.
select b.segment, b.block, b.postings
from (
    select (k ->> 0)::bigint as segment, (k ->> 1)::int as block
    from jsonb_array_elements($3) k
    offset 0
) k
join _pawl_search_blocks b on b.segment = k.segment and b.block = k.block
where (b.user_id = $1 or $1 is null) and b.user_id = $2
