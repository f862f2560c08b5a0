insert into _pawl_search (user_id, size, blocks, gone, first, last, documents)
select $2, $3, $4, $5, $6, $7, $8
where ($2 = $1 or $1 is null)
returning number
