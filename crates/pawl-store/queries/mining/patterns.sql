-- In the order of their ids, behind one.
select
    pattern_id, source_trace_id, evaluation_id, title, failure_type, trigger_condition, summary, root_cause_hypothesis,
    evidence, recommended_actions, reproduction_context, severity, confidence, confidence_rationale, occurred_at,
    extracted_at, extracted_by, suggestion_id
from failure_patterns
where (user_id = $1 or $1 is null) and pattern_id > $2
order by pattern_id
limit $3
