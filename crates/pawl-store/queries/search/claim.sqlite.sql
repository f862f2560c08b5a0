update _pawl_search_mark
set claimed = max(
    claimed,
    (
        select coalesce(max(number), 0)
        from (
            select number
            from evaluations
            where number > (select number from _pawl_search_mark)
            order by number
            limit $2
        )
    )
)
where cast($1 as text) is null
