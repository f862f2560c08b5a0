-- Runs that make drafts of regression tests. Drafts themselves stand in their suggestions.
create table eval_test_runs (
    user_id text not null references auth_users (id) on delete cascade,
    run_id text not null,
    started_at integer not null,
    finished_at integer not null,
    triggered_by text not null check (triggered_by in ('scheduled', 'manual')),
    batch_size integer not null,
    picked_up_count integer not null,
    generated_count integer not null,
    skipped_count integer not null,
    error_count integer not null,
    suggestion_outcomes text not null default '[]',
    cost_usd text not null default '0',
    primary key (user_id, run_id)
) strict;
create index eval_test_runs_newest on eval_test_runs (user_id, started_at desc);

create table eval_test_errors (
    user_id text not null,
    run_id text not null,
    suggestion_id text not null,
    error_type text not null check (
        error_type in ('invalid_json', 'schema_validation', 'vertex_error', 'timeout', 'unknown')
    ),
    error_message text not null,
    recorded_at integer not null,
    model_response_sha256 text,
    model_response_excerpt text,
    primary key (user_id, run_id, suggestion_id),
    foreign key (user_id, run_id) references eval_test_runs (user_id, run_id) on delete cascade
) strict;
