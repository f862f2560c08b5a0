-- The number of the newest version of a prompt.
select cast(coalesce(max(version), 0) as bigint)
from prompt_versions
where (user_id = $1 or $1 is null) and user_id = $2 and name = $3
