-- A suggestion as it stands; whoever writes is alone.
select status, suggestion_content, version_history
from suggestions
where (user_id = $1 or $1 is null) and user_id = $2 and suggestion_id = $3
