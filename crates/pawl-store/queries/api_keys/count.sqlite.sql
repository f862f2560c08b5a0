select count(*)
from auth_api_keys
where (user_id = $1 or $1 is null) and user_id = $2
