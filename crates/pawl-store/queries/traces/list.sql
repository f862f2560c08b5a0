-- In the order of their ids, behind one.
select
    id, user_id, evaluation_id, created_at, spans, trace_id, assembled, input_tokens, output_tokens, cost_usd, unscored,
    check_results, first_seen, last_seen, user_hash
from interaction_traces
where (user_id = $1 or $1 is null) and trace_id > $2
order by trace_id
limit $3
