-- The worst first, and of those that are as bad the oldest; after a suggestion.
select
    s.suggestion_id, s.type, s.status, s.severity, s.failure_type, s.trigger_condition, s.title, s.summary,
    s.similarity_group, s.recurrence_of, s.suggestion_content, s.approval_metadata, s.version_history, s.created_at,
    s.updated_at, count(p.pattern_id), count(distinct p.user_hash), min(p.occurred_at), max(p.occurred_at)
from (
    select *, case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end as rank
    from suggestions
    where (user_id = $1 or $1 is null)
        and ($2 is null or status = $2) and ($3 is null or type = $3) and ($4 is null or severity = $4)
        and ($5 is null or (case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end, created_at, suggestion_id) > (
            select case a.severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end, a.created_at, a.suggestion_id
            from suggestions a
            where (a.user_id = $1 or $1 is null) and a.user_id = suggestions.user_id and a.suggestion_id = $5
        ))
    order by rank, created_at, suggestion_id
    limit $6
) s
left join failure_patterns p on p.user_id = s.user_id and p.suggestion_id = s.suggestion_id
group by s.user_id, s.suggestion_id
order by s.rank, s.created_at, s.suggestion_id
