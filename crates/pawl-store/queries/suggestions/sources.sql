-- The first and then the newest of a suggestion's traces.
select source_trace_id, pattern_id, extracted_at, similarity_score
from failure_patterns
where (user_id = $1 or $1 is null) and suggestion_id = $2
order by similarity_score is not null, occurred_at desc, pattern_id
limit $3
