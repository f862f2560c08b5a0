insert into _pawl_search (user_id, evaluation_id, document)
select
    e.user_id, e.id,
    to_tsvector('simple', left(e.prompt, 100000) || ' ' || left(e.response, 100000))
        || array_to_tsvector(array['t' || replace(e.user_id::text, '-', '')])
from evaluations e
where (e.user_id = $1 or $1 is null) and e.user_id = $2 and e.created_at >= $3 and e.created_at < $4
    and not exists (select from _pawl_search s where s.user_id = e.user_id and s.evaluation_id = e.id)
