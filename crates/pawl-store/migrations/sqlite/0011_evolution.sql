-- Prompts that are evolved: runs, candidates, and every candidate tried on an example; and the prompts that are live.
create table prompt_optimization_runs (
    id text primary key not null default ('aor_' || lower(hex(randomblob(8)))),
    user_id text references auth_users (id) on delete cascade,
    signature_name text not null,
    status text not null default 'pending' check (
        status in ('pending', 'running', 'completed', 'failed', 'cancelled')
    ),
    config text not null default '{}',
    best_score real,
    iterations integer not null default 0,
    dimension_weights text not null default '{}',
    -- What calls took of which there is no answer.
    lost_metric_calls integer not null default 0,
    lost_reflections integer not null default 0,
    lost_tokens integer not null default 0,
    lost_usd_nanos integer not null default 0,
    elapsed_ms integer not null default 0,
    best_candidate_id text,
    finish text,
    error text,
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    completed_at integer,
    deleted_at integer
) strict;
create index prompt_optimization_runs_newest on prompt_optimization_runs (user_id, created_at desc, id desc);

create table prompt_candidates (
    id text primary key not null default ('apc_' || lower(hex(randomblob(8)))),
    user_id text references auth_users (id) on delete cascade,
    run_id text not null references prompt_optimization_runs (id) on delete cascade,
    instructions text not null,
    -- [{name, text}], of which the instructions are the one text, or all of them under headings.
    components text not null default '[]',
    demos text not null default '[]',
    digest text not null,
    status text not null check (status in ('proposed', 'accepted', 'rejected', 'refused')),
    parent_id text references prompt_candidates (id) on delete set null,
    parents text not null default '[]',
    edited text not null default '[]',
    reason text,
    step integer not null,
    generation integer not null default 0,
    coverage integer not null default 0,
    avg_score real,
    dimension_scores text not null default '{}',
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    deleted_at integer
) strict;
create unique index prompt_candidates_tried on prompt_candidates (run_id, digest) where status <> 'refused';
create index prompt_candidates_order on prompt_candidates (run_id, step, id);

create table prompt_evaluations (
    id text primary key not null default ('ape_' || lower(hex(randomblob(8)))),
    candidate_id text not null references prompt_candidates (id) on delete cascade,
    example_id text not null check (length(example_id) <= 255),
    score real not null,
    feedback text,
    trace text,
    dimension_scores text default '{}',
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    deleted_at integer,
    user_id text references auth_users (id) on delete cascade
) strict;
create index idx_evaluations_candidate on prompt_evaluations (candidate_id) where deleted_at is null;
create index idx_evaluations_example on prompt_evaluations (example_id) where deleted_at is null;
create index idx_evaluations_score on prompt_evaluations (candidate_id, score desc) where deleted_at is null;

-- The journal of a run: calls before they are made and as they were answered, and steps as they were decided.
create table prompt_calls (
    user_id text not null references auth_users (id) on delete cascade,
    run_id text not null references prompt_optimization_runs (id) on delete cascade,
    call text not null,
    step integer not null,
    is_reflection integer not null check (is_reflection in (0, 1)),
    -- At most, until there is an answer.
    tokens integer not null,
    usd_nanos integer not null,
    -- The row of a rollout with a score; any other answer as it was.
    evaluation_id text references prompt_evaluations (id) on delete cascade,
    answer text,
    -- Of candidate, example and target: what has the same is not asked again by a later run.
    reusable_as text,
    -- Without the user: the service asks without one.
    primary key (run_id, call)
) strict;

create index prompt_calls_reusable on prompt_calls (reusable_as) where reusable_as is not null;

create table prompt_steps (
    user_id text not null references auth_users (id) on delete cascade,
    run_id text not null references prompt_optimization_runs (id) on delete cascade,
    step integer not null,
    decision text not null,
    primary key (run_id, step)
) strict;

create table prompts (
    user_id text not null references auth_users (id) on delete cascade,
    name text not null check (length(name) between 1 and 100),
    live_version integer not null,
    updated_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    primary key (user_id, name)
) strict;

create table prompt_versions (
    user_id text not null,
    name text not null,
    version integer not null,
    components text not null,
    -- The candidate that it was; none for one that came by hand.
    candidate_id text,
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    primary key (user_id, name, version),
    foreign key (user_id, name) references prompts (user_id, name) on delete cascade deferrable initially deferred
) strict;

create table promotion_verdicts (
    user_id text not null,
    id text not null default ('apv_' || lower(hex(randomblob(8)))),
    name text not null,
    kind text not null check (kind in ('initial', 'promoted', 'refused', 'overridden', 'rolled_back')),
    -- The version that was live before, and the one that is live after.
    from_version integer,
    to_version integer,
    candidate_id text,
    decided_by text not null,
    reason text not null,
    findings text not null default '{}',
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    primary key (user_id, id),
    foreign key (user_id, name) references prompts (user_id, name) on delete cascade
) strict;
create index promotion_verdicts_newest on promotion_verdicts (user_id, name, created_at desc, id desc);
