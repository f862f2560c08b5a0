-- Prompts that are evolved: runs, candidates, and every candidate tried on an example; and the prompts that are live.
create function generate_random_id(prefix text) returns text language sql volatile as $f$
    -- Sixteen letters of an alphabet that needs no escapes in an address: the first bytes of two UUIDs hold no version.
    select prefix || '_' || translate(
        encode(
            substring(uuid_send(gen_random_uuid()) from 1 for 6) || substring(uuid_send(gen_random_uuid()) from 1 for 6),
            'base64'
        ),
        '+/', '-_'
    )
$f$;

create table prompt_optimization_runs (
    id text primary key default generate_random_id('aor'),
    user_id uuid references auth.users (id) on delete cascade,
    signature_name text not null,
    status text not null default 'pending' check (
        status in ('pending', 'running', 'completed', 'failed', 'cancelled')
    ),
    config jsonb not null default '{}',
    best_score real,
    iterations int not null default 0,
    dimension_weights jsonb not null default '{}',
    -- What calls took of which there is no answer.
    lost_metric_calls bigint not null default 0,
    lost_reflections bigint not null default 0,
    lost_tokens bigint not null default 0,
    lost_usd_nanos bigint not null default 0,
    elapsed_ms bigint not null default 0,
    best_candidate_id text,
    finish text,
    error text,
    created_at timestamp not null default now(),
    completed_at timestamp,
    deleted_at timestamp
);
create index prompt_optimization_runs_newest on prompt_optimization_runs (user_id, created_at desc, id desc);

create table prompt_candidates (
    id text primary key default generate_random_id('apc'),
    user_id uuid references auth.users (id) on delete cascade,
    run_id text not null references prompt_optimization_runs (id) on delete cascade,
    instructions text not null,
    -- [{name, text}], of which the instructions are the one text, or all of them under headings.
    components jsonb not null default '[]',
    demos jsonb not null default '[]',
    digest text not null,
    status text not null check (status in ('proposed', 'accepted', 'rejected', 'refused')),
    parent_id text references prompt_candidates (id) on delete set null,
    parents jsonb not null default '[]',
    edited jsonb not null default '[]',
    reason text,
    step bigint not null,
    generation int not null default 0,
    coverage int not null default 0,
    avg_score real,
    dimension_scores jsonb not null default '{}',
    created_at timestamp not null default now(),
    deleted_at timestamp
);
create unique index prompt_candidates_tried on prompt_candidates (run_id, digest) where status <> 'refused';
create index prompt_candidates_order on prompt_candidates (run_id, step, id);

create table prompt_evaluations (
    id text primary key default generate_random_id('ape'),
    candidate_id text not null references prompt_candidates (id) on delete cascade,
    example_id varchar(255) not null,
    score real not null,
    feedback text,
    trace jsonb,
    dimension_scores jsonb default '{}',
    created_at timestamp not null default now(),
    deleted_at timestamp,
    user_id uuid references auth.users (id) on delete cascade
);
create index idx_evaluations_candidate on prompt_evaluations (candidate_id) where deleted_at is null;
create index idx_evaluations_example on prompt_evaluations (example_id) where deleted_at is null;
create index idx_evaluations_score on prompt_evaluations (candidate_id, score desc) where deleted_at is null;

-- The journal of a run: calls before they are made and as they were answered, and steps as they were decided.
create table prompt_calls (
    user_id uuid not null references auth.users (id) on delete cascade,
    run_id text not null references prompt_optimization_runs (id) on delete cascade,
    call text not null,
    step bigint not null,
    is_reflection boolean not null,
    -- At most, until there is an answer.
    tokens bigint not null,
    usd_nanos bigint not null,
    -- The row of a rollout with a score; any other answer as it was.
    evaluation_id text references prompt_evaluations (id) on delete cascade,
    answer jsonb,
    -- Of candidate, example and target: what has the same is not asked again by a later run.
    reusable_as text,
    -- Without the user: the service asks without one.
    primary key (run_id, call)
);

create index prompt_calls_reusable on prompt_calls (reusable_as) where reusable_as is not null;

create table prompt_steps (
    user_id uuid not null references auth.users (id) on delete cascade,
    run_id text not null references prompt_optimization_runs (id) on delete cascade,
    step bigint not null,
    decision jsonb not null,
    primary key (run_id, step)
);

create table prompts (
    user_id uuid not null references auth.users (id) on delete cascade,
    name text not null check (length(name) between 1 and 100),
    live_version int not null,
    updated_at timestamp not null default now(),
    primary key (user_id, name)
);

create table prompt_versions (
    user_id uuid not null,
    name text not null,
    version int not null,
    components jsonb not null,
    -- The candidate that it was; none for one that came by hand.
    candidate_id text,
    created_at timestamp not null default now(),
    primary key (user_id, name, version),
    foreign key (user_id, name) references prompts (user_id, name) on delete cascade deferrable initially deferred
);

create table promotion_verdicts (
    user_id uuid not null,
    id text not null default generate_random_id('apv'),
    name text not null,
    kind text not null check (kind in ('initial', 'promoted', 'refused', 'overridden', 'rolled_back')),
    -- The version that was live before, and the one that is live after.
    from_version int,
    to_version int,
    candidate_id text,
    decided_by text not null,
    reason text not null,
    findings jsonb not null default '{}',
    created_at timestamp not null default now(),
    primary key (user_id, id),
    foreign key (user_id, name) references prompts (user_id, name) on delete cascade
);
create index promotion_verdicts_newest on promotion_verdicts (user_id, name, created_at desc, id desc);

do $$
declare
    tenant_table text;
    grantee text;
begin
    foreach tenant_table in array array[
        'prompt_optimization_runs', 'prompt_candidates', 'prompt_evaluations', 'prompt_calls', 'prompt_steps', 'prompts',
        'prompt_versions', 'promotion_verdicts'
    ] loop
        execute format('alter table %I enable row level security', tenant_table);
        execute format('alter table %I force row level security', tenant_table);
        execute format(
            'create policy "Service role" on %I for all using ((select auth.role()) = ''service_role'')'
            ' with check ((select auth.role()) = ''service_role'')', tenant_table);
        execute format(
            'create policy "Users see their rows" on %I for select using ((select auth.uid()) = user_id)',
            tenant_table);
        -- A runtime role that was made before these tables goes on working.
        for grantee in
            select distinct given.grantee::regrole::text
            from pg_class, aclexplode(relacl) as given
            where pg_class.oid = 'sb_eval_runs'::regclass and given.privilege_type = 'INSERT'
                and given.grantee not in (0, relowner)
        loop
            execute format('grant select, insert, update, delete on %I to %s', tenant_table, grantee);
        end loop;
    end loop;
end
$$;
