select min(queued_at)
from _pawl_search_queue
where (user_id = $1 or $1 is null)
