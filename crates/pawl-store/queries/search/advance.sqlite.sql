-- Up to the last row that is indexed; where that is the last one of all, up to now.
update _pawl_search_progress
set
    number = coalesce((select max(rowid) from _pawl_search), number),
    indexed_until = case
        when $2 then $3
        else coalesce((
            select received_at
            from evaluations
            where (user_id = $1 or $1 is null) and number = (select max(rowid) from _pawl_search)
        ), indexed_until)
    end
where $1 is null
