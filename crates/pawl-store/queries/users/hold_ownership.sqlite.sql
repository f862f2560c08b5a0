-- SQLite has one writer at a time already.
select 1
where $1 is null or true
