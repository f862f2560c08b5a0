-- SQLite has one writer at a time already.
select 1 where cast($1 as text) is null and $2 is null
