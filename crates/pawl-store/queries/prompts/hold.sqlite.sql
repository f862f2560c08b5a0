-- The live version of a prompt; whoever writes is alone.
select live_version
from prompts
where (user_id = $1 or $1 is null) and user_id = $2 and name = $3
