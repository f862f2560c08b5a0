-- A suggestion as it stands, and nobody else changes it until the transaction ends.
select status, suggestion_content, version_history
from suggestions
where (user_id = $1 or $1 is null) and user_id = $2 and suggestion_id = $3
for update
