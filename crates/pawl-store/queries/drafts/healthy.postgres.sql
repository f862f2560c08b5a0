-- The latest interactions that went well, to try tests on.
select id, prompt, response, trace
from evaluations
where (user_id = $1 or $1 is null) and user_id = $2
    and score >= $3 and not has_error and not flags && $4::text[]
order by created_at desc, id desc
limit $5
