-- The live version of a prompt.
select v.name, v.version, v.components, v.candidate_id, v.created_at
from prompts p
join prompt_versions v on v.user_id = p.user_id and v.name = p.name and v.version = p.live_version
where (p.user_id = $1 or $1 is null) and p.user_id = $2 and p.name = $3
