select
    t.id, t.user_id, t.evaluation_id, t.created_at, t.spans, t.trace_id, t.assembled, t.input_tokens, t.output_tokens,
    t.cost_usd, t.unscored, t.check_results, t.first_seen, t.last_seen, t.user_hash
from json_each($3) k
cross join interaction_traces t on t.user_id = $2 and t.trace_id = k.value
where ($2 = $1 or $1 is null)
