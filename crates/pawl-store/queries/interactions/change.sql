update evaluations
set prompt = $4, response = $5, score = $6, latency_ms = cast($7 as bigint), pii_tokens_redacted = $8, created_at = $9,
    trace = $10, redactions = $11, has_error = $12
where user_id = $2 and id = $3 and ($2 = $1 or $1 is null)
