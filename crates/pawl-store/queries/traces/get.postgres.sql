-- Each id is looked up by itself: in a join, what reads the ids could tell of rows that nobody may see, and so no index
-- would be used under row level security.
select
    t.id, t.user_id, t.evaluation_id, t.created_at, t.spans, t.trace_id, t.assembled, t.input_tokens, t.output_tokens,
    t.cost_usd, t.unscored, t.check_results, t.first_seen, t.last_seen, t.user_hash
from (select k from jsonb_array_elements_text($3) k offset 0) k
cross join lateral (
    select * from interaction_traces where user_id = $2 and trace_id = k.k offset 0
) t
where ($2 = $1 or $1 is null)
