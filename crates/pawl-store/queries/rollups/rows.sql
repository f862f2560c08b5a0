-- Of a pair PostgreSQL looks nothing up in an index that has one of the two: the time is there by itself as well.
select score, sample_weight, latency_ms, flags, pii_tokens_redacted, redactions, created_at, id
from evaluations
where (user_id = $1 or $1 is null) and user_id = $2 and created_at >= $3 and created_at < $4
    and (created_at, id) > ($3, $5)
order by created_at, id
limit $6
