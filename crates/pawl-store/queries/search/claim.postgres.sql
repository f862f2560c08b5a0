-- What is new stands in the queue.
select 1 where cast($1 as text) is null and $2::bigint is null
