-- The live version of a prompt, which nobody else changes until the transaction ends.
select live_version
from prompts
where (user_id = $1 or $1 is null) and user_id = $2 and name = $3
for update
