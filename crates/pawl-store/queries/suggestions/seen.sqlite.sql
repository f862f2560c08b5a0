-- How often what these suggestions are about was seen.
select suggestion_id, count(*), count(distinct user_hash), min(occurred_at), max(occurred_at)
from failure_patterns
where (user_id = $1 or $1 is null) and user_id = $2 and suggestion_id in (select value from json_each($3))
group by suggestion_id
