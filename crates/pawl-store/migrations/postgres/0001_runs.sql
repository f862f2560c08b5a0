-- Tables of headless runs, and as much of `auth` as ownership needs. `auth` may exist already (Supabase).
create schema if not exists auth;

create table if not exists auth.users (
    id uuid primary key default gen_random_uuid(),
    email text unique,
    created_at timestamptz not null default now()
);

do $$
begin
    if to_regprocedure('auth.uid()') is null then
        create function auth.uid() returns uuid language sql stable as $f$
            select nullif(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', '')::uuid
        $f$;
    end if;
    if to_regprocedure('auth.role()') is null then
        create function auth.role() returns text language sql stable as $f$
            select nullif(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role', '')
        $f$;
    end if;
end
$$;

create table sb_sessions (
    id uuid primary key default gen_random_uuid(),
    created_at timestamptz not null default now(),
    title text,
    user_id uuid references auth.users (id) on delete cascade
);

create table sb_stories (
    id uuid primary key default gen_random_uuid(),
    created_at timestamptz not null default now(),
    session_id uuid references sb_sessions (id) on delete cascade,
    story jsonb,
    user_id uuid references auth.users (id) on delete cascade
);

create table sb_actions (
    id uuid primary key default gen_random_uuid(),
    created_at timestamptz not null default now(),
    session_id uuid references sb_sessions (id) on delete cascade,
    action_type text,
    user_id uuid references auth.users (id) on delete cascade
);

create table sb_eval_runs (
    id uuid primary key default gen_random_uuid(),
    created_at timestamptz not null default now(),
    run_name text,
    dataset_version text not null,
    model text,
    prompt_version text,
    total_cases int not null default 0,
    passed_cases int not null default 0,
    failed_cases int not null default 0,
    status text not null default 'running',
    completed_at timestamptz,
    error text,
    user_id uuid references auth.users (id) on delete cascade,
    suite text,
    target text,
    suite_hash text,
    dataset_hash text,
    settings jsonb,
    unique (user_id, id)
);

create table sb_eval_cases (
    id uuid primary key default gen_random_uuid(),
    run_id uuid not null references sb_eval_runs (id) on delete cascade,
    created_at timestamptz not null default now(),
    input_data jsonb not null,
    output_story jsonb,
    session_id uuid references sb_sessions (id) on delete set null,
    story_id uuid references sb_stories (id) on delete set null,
    action_id uuid references sb_actions (id) on delete set null,
    eval_results jsonb not null default '{}',
    passed boolean not null default false,
    error text,
    user_id uuid references auth.users (id) on delete cascade,
    trial int not null default 1,
    status text check (status in ('passed', 'failed', 'error', 'skipped')),
    score double precision check (score between 0 and 1),
    latency_ms int check (latency_ms >= 0),
    cost_usd double precision check (cost_usd >= 0 and cost_usd < 'Infinity'),
    output text,
    details jsonb,
    -- A case belongs to its run's owner; foreign keys see past row level security.
    foreign key (user_id, run_id) references sb_eval_runs (user_id, id) on delete cascade
);

create index sb_sessions_user_id on sb_sessions (user_id);
create index sb_stories_session_id on sb_stories (session_id);
create index sb_actions_session_id on sb_actions (session_id);
create index sb_eval_runs_newest on sb_eval_runs (user_id, created_at desc, id desc);
create index sb_eval_cases_run_id on sb_eval_cases (run_id, id);

do $$
declare
    tenant_table text;
begin
    foreach tenant_table in array array['sb_sessions', 'sb_stories', 'sb_actions', 'sb_eval_runs', 'sb_eval_cases'] loop
        execute format('alter table %I enable row level security', tenant_table);
        execute format('alter table %I force row level security', tenant_table);
        execute format(
            'create policy "Users own their rows" on %I for all using ((select auth.uid()) = user_id)'
            ' with check ((select auth.uid()) = user_id)', tenant_table);
        execute format(
            'create policy "Service role" on %I for all using ((select auth.role()) = ''service_role'')'
            ' with check ((select auth.role()) = ''service_role'')', tenant_table);
    end loop;
end
$$;

alter table auth.users enable row level security;
alter table auth.users force row level security;
create policy "Users see themselves" on auth.users for select using ((select auth.uid()) = id);
create policy "Service role" on auth.users for all using ((select auth.role()) = 'service_role')
    with check ((select auth.role()) = 'service_role');
