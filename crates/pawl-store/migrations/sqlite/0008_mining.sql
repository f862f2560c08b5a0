-- What went wrong, and what is to be done about it.
alter table evaluations add column has_error integer not null default 0 check (has_error in (0, 1));

create table mining_runs (
    user_id text not null references auth_users (id) on delete cascade,
    run_id text not null,
    -- The job that it is the work of; none by hand.
    job_id text,
    triggered_by text not null check (triggered_by in ('scheduled', 'manual')),
    extracted_by text not null,
    embedded_by text not null,
    since integer not null,
    started_at integer not null,
    finished_at integer,
    picked_up_count integer not null default 0,
    pattern_count integer not null default 0,
    joined_count integer not null default 0,
    suggestion_count integer not null default 0,
    skipped_count integer not null default 0,
    error_count integer not null default 0,
    cost_usd text not null default '0',
    primary key (user_id, run_id)
) strict;
create unique index mining_runs_job on mining_runs (user_id, job_id) where job_id is not null;
create index mining_runs_newest on mining_runs (user_id, started_at desc);

create table mining_errors (
    user_id text not null,
    run_id text not null,
    source_trace_id text not null,
    error_type text not null check (
        error_type in ('invalid_json', 'schema_validation', 'vertex_error', 'timeout', 'oversize', 'unknown')
    ),
    error_message text not null,
    recorded_at integer not null,
    model_response_sha256 text,
    model_response_excerpt text,
    primary key (user_id, run_id, source_trace_id),
    foreign key (user_id, run_id) references mining_runs (user_id, run_id) on delete cascade
) strict;

create table suggestions (
    user_id text not null references auth_users (id) on delete cascade,
    suggestion_id text not null,
    type text not null check (type in ('eval', 'guardrail', 'runbook')),
    status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
    severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
    failure_type text not null,
    trigger_condition text not null,
    title text not null,
    summary text not null,
    -- What makes vectors, and the mean of its patterns'.
    embedded_by text not null,
    embedding text not null,
    similarity_group text not null,
    recurrence_of text,
    suggestion_content text not null default '{}',
    approval_metadata text,
    version_history text not null default '[]',
    created_at integer not null,
    updated_at integer not null,
    primary key (user_id, suggestion_id)
) strict;
create index suggestions_newest on suggestions (user_id, created_at desc, suggestion_id);

create table failure_patterns (
    user_id text not null,
    pattern_id text not null,
    source_trace_id text not null,
    evaluation_id text not null references evaluations (id) on delete cascade,
    title text not null,
    failure_type text not null,
    trigger_condition text not null,
    summary text not null,
    root_cause_hypothesis text not null,
    evidence text not null,
    recommended_actions text not null,
    reproduction_context text not null,
    severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
    confidence text not null check (cast(confidence as real) between 0 and 1),
    confidence_rationale text not null,
    extracted_by text not null,
    -- Whom it happened to, as a hash that tells nobody.
    user_hash text,
    occurred_at integer not null,
    extracted_at integer not null,
    suggestion_id text not null,
    similarity_score real,
    primary key (user_id, pattern_id),
    unique (user_id, evaluation_id),
    foreign key (user_id, suggestion_id) references suggestions (user_id, suggestion_id) on delete cascade
) strict;
create index failure_patterns_suggestion on failure_patterns (user_id, suggestion_id, occurred_at, user_hash);
create index failure_patterns_evaluation on failure_patterns (evaluation_id);
