select exists (
    select 1
    from evaluations
    where (user_id = $1 or $1 is null) and number > (select number from _pawl_search_progress)
)
