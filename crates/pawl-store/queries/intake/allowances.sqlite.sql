select
    d.day, d.stored,
    u.id, c.run_policy, c.sample_rate_pct, c.obfuscate_pii, c.max_eval_per_day, c.created_at, c.timezone,
    c.keep_failures, c.failure_flags, c.failure_score, c.success_threshold_pct, c.sample_salt, c.pii_patterns,
    c.online_checks, c.version
from auth_users u
left join evaluation_configs c on c.user_id = u.id
left join intake_days d on d.user_id = u.id and d.day between $3 and $4
where (u.id = $1 or $1 is null) and u.id in (select value from json_each($2))
order by u.id
