insert into _pawl_search (evaluation_id, user_id, words)
select evaluation_id, user_id, words
from (
    select (k ->> 0)::uuid as evaluation_id, (k ->> 1)::uuid as user_id, (k ->> 2)::int[] as words
    from jsonb_array_elements($2) k
) found
where (user_id = $1 or $1 is null)
on conflict (evaluation_id) do update set words = excluded.words
