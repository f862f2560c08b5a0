select
    e.id, e.interaction_id, e.user_id, e.prompt, e.response, e.score, e.latency_ms, e.flags, e.pii_tokens_redacted,
    e.created_at, e.received_at, e.sample_weight, e.trace, e.redactions, t.spans
from evaluations e
left join interaction_traces t on t.user_id = e.user_id and t.trace_id = e.interaction_id
where (e.user_id = $1 or $1 is null) and e.id = $2
