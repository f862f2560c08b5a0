-- Its queue has what is new as well.
select 1 where cast($1 as text) is null and $2::bigint is null
