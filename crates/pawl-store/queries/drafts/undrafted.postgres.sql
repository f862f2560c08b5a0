-- Suggestions of tests that wait for a draft, the newest first.
select suggestion_id
from suggestions
where (user_id = $1 or $1 is null) and user_id = $2
    and status = 'pending' and type = 'eval' and suggestion_content -> 'eval_test' is null
order by created_at desc, suggestion_id desc
limit $3
