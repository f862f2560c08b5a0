-- SQLite has one writer at a time already.
select true where cast($1 as text) is null
