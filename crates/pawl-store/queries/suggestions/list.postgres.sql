-- The newest first, after a place.
select
    s.suggestion_id, s.type, s.status, s.severity, s.failure_type, s.trigger_condition, s.title, s.summary,
    s.similarity_group, s.recurrence_of, s.suggestion_content, s.approval_metadata, s.version_history, s.created_at,
    s.updated_at, p.patterns, p.users, p.first_at, p.last_at
from suggestions s
cross join lateral (
    select count(*) as patterns, count(distinct user_hash) as users, min(occurred_at) as first_at,
        max(occurred_at) as last_at
    from failure_patterns
    where user_id = s.user_id and suggestion_id = s.suggestion_id
) p
where (s.user_id = $1 or $1 is null)
    and ($2::text is null or s.status = $2) and ($3::text is null or s.type = $3)
    and ($4::text is null or s.severity = $4)
    and ($5::timestamptz is null or (s.created_at, s.suggestion_id) < ($5, $6::text))
order by s.created_at desc, s.suggestion_id desc
limit $7
