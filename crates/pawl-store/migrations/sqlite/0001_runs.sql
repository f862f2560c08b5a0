-- Tables of headless runs, and as much of `auth` as ownership needs. What PostgreSQL checks by type stands here
-- as a CHECK: uuid as text, timestamptz as microseconds since 1970, jsonb as text in normal form, int as 32 bits.
create table auth_users (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    email text unique,
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer))
) strict;

create table sb_sessions (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    title text,
    user_id text references auth_users (id) on delete cascade
) strict;

create table sb_stories (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    session_id text references sb_sessions (id) on delete cascade,
    story text,
    user_id text references auth_users (id) on delete cascade
) strict;

create table sb_actions (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    session_id text references sb_sessions (id) on delete cascade,
    action_type text,
    user_id text references auth_users (id) on delete cascade
) strict;

create table sb_eval_runs (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    run_name text,
    dataset_version text not null,
    model text,
    prompt_version text,
    total_cases integer not null default 0 check (total_cases between -2147483648 and 2147483647),
    passed_cases integer not null default 0 check (passed_cases between -2147483648 and 2147483647),
    failed_cases integer not null default 0 check (failed_cases between -2147483648 and 2147483647),
    status text not null default 'running',
    completed_at integer,
    error text,
    user_id text references auth_users (id) on delete cascade,
    suite text,
    target text,
    suite_hash text,
    dataset_hash text,
    settings text,
    unique (user_id, id)
) strict;

create table sb_eval_cases (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    run_id text not null references sb_eval_runs (id) on delete cascade,
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    input_data text not null,
    output_story text,
    session_id text references sb_sessions (id) on delete set null,
    story_id text references sb_stories (id) on delete set null,
    action_id text references sb_actions (id) on delete set null,
    eval_results text not null default '{}',
    passed integer not null default 0 check (passed in (0, 1)),
    error text,
    user_id text references auth_users (id) on delete cascade,
    trial integer not null default 1 check (trial between -2147483648 and 2147483647),
    status text check (status in ('passed', 'failed', 'error', 'skipped')),
    score real check (score between 0 and 1),
    latency_ms integer check (latency_ms between 0 and 2147483647),
    cost_usd real check (cost_usd >= 0 and cost_usd < 9e999),
    output text,
    details text,
    -- A case belongs to its run's owner.
    foreign key (user_id, run_id) references sb_eval_runs (user_id, id) on delete cascade
) strict;

create index sb_sessions_user_id on sb_sessions (user_id);
create index sb_stories_session_id on sb_stories (session_id);
create index sb_actions_session_id on sb_actions (session_id);
create index sb_eval_runs_newest on sb_eval_runs (user_id, created_at desc, id desc);
create index sb_eval_cases_run_id on sb_eval_cases (run_id, id);
