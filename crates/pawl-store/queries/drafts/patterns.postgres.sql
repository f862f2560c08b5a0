-- Of a suggestion: those that are surest first, then the latest.
select
    pattern_id, source_trace_id, evaluation_id, title, failure_type, trigger_condition, summary, root_cause_hypothesis,
    evidence, recommended_actions, reproduction_context, severity, confidence, confidence_rationale, occurred_at,
    extracted_at, extracted_by, suggestion_id
from failure_patterns
where (user_id = $1 or $1 is null) and user_id = $2 and suggestion_id = $3
order by confidence desc, extracted_at desc, occurred_at desc, pattern_id
limit $4
