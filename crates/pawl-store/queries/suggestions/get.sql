select
    s.suggestion_id, s.type, s.status, s.severity, s.failure_type, s.trigger_condition, s.title, s.summary,
    s.similarity_group, s.recurrence_of, s.suggestion_content, s.approval_metadata, s.version_history, s.created_at,
    s.updated_at, count(p.pattern_id), count(distinct p.user_hash), min(p.occurred_at), max(p.occurred_at)
from suggestions s
left join failure_patterns p on p.user_id = s.user_id and p.suggestion_id = s.suggestion_id
where (s.user_id = $1 or $1 is null) and s.suggestion_id = $2
group by s.user_id, s.suggestion_id
