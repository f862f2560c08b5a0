insert into _pawl_search (user_id, size, blocks, gone, first, last, documents)
select $2::uuid, $3::bigint, $4::bigint, $5::bytea, $6::bytea, $7::bytea, $8::bytea
where ($2 = $1 or $1 is null)
returning number
