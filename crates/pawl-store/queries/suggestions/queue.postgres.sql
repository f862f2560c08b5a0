-- The worst first, and of those that are as bad the oldest; after a suggestion.
select
    s.suggestion_id, s.type, s.status, s.severity, s.failure_type, s.trigger_condition, s.title, s.summary,
    s.similarity_group, s.recurrence_of, s.suggestion_content, s.approval_metadata, s.version_history, s.created_at,
    s.updated_at, p.patterns, p.users, p.first_at, p.last_at
from (
    select *, case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end as rank
    from suggestions
    where (user_id = $1 or $1 is null)
        and ($2::text is null or status = $2) and ($3::text is null or type = $3) and ($4::text is null or severity = $4)
) s
cross join lateral (
    select count(*) as patterns, count(distinct user_hash) as users, min(occurred_at) as first_at,
        max(occurred_at) as last_at
    from failure_patterns
    where user_id = s.user_id and suggestion_id = s.suggestion_id
) p
where $5::text is null or (s.rank, s.created_at, s.suggestion_id) > (
    select case a.severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end, a.created_at, a.suggestion_id
    from suggestions a
    where (a.user_id = $1 or $1 is null) and a.user_id = s.user_id and a.suggestion_id = $5
)
order by s.rank, s.created_at, s.suggestion_id
limit $6
