-- What patterns are compared with.
select suggestion_id, status, severity, failure_type, trigger_condition, title, summary, similarity_group, recurrence_of,
    embedded_by, embedding, version_history, created_at, updated_at,
    (select count(*) from failure_patterns p where p.user_id = s.user_id and p.suggestion_id = s.suggestion_id)
from suggestions s
where (user_id = $1 or $1 is null) and user_id = $2
order by created_at, suggestion_id
