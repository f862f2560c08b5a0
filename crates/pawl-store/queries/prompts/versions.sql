-- Versions of a prompt, the newest first.
select name, version, components, candidate_id, created_at
from prompt_versions
where (user_id = $1 or $1 is null) and user_id = $2 and name = $3
order by version desc
limit $4
