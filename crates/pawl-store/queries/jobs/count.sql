select state, count(*)
from jobs
where (user_id = $1 or $1 is null)
group by state
order by state
