-- The latest interactions that went well, to try tests on.
select id, prompt, response, trace
from evaluations
where (user_id = $1 or $1 is null) and user_id = $2
    and cast(score as real) >= $3 and not has_error
    and (flags = '[]' or not exists (
        select 1 from json_each(flags) flag where flag.value in (select value from json_each($4))
    ))
order by created_at desc, id desc
limit $5
