-- What went wrong, and what is to be done about it.
alter table evaluations add column has_error boolean not null default false;

create table mining_runs (
    user_id uuid not null references auth.users (id) on delete cascade,
    run_id text not null,
    -- The job that it is the work of; none by hand.
    job_id uuid,
    triggered_by text not null check (triggered_by in ('scheduled', 'manual')),
    extracted_by text not null,
    embedded_by text not null,
    since timestamptz not null,
    started_at timestamptz not null,
    finished_at timestamptz,
    picked_up_count int not null default 0,
    pattern_count int not null default 0,
    joined_count int not null default 0,
    suggestion_count int not null default 0,
    skipped_count int not null default 0,
    error_count int not null default 0,
    cost_usd numeric not null default 0,
    primary key (user_id, run_id)
);
create unique index mining_runs_job on mining_runs (user_id, job_id) where job_id is not null;
create index mining_runs_newest on mining_runs (user_id, started_at desc);

create table mining_errors (
    user_id uuid not null,
    run_id text not null,
    source_trace_id text not null,
    error_type text not null check (
        error_type in ('invalid_json', 'schema_validation', 'vertex_error', 'timeout', 'oversize', 'unknown')
    ),
    error_message text not null,
    recorded_at timestamptz not null,
    model_response_sha256 text,
    model_response_excerpt text,
    primary key (user_id, run_id, source_trace_id),
    foreign key (user_id, run_id) references mining_runs (user_id, run_id) on delete cascade
);

create table suggestions (
    user_id uuid not null references auth.users (id) on delete cascade,
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
    embedding jsonb not null,
    similarity_group text not null,
    recurrence_of text,
    suggestion_content jsonb not null default '{}',
    approval_metadata jsonb,
    version_history jsonb not null default '[]',
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (user_id, suggestion_id)
);
create index suggestions_newest on suggestions (user_id, created_at desc, suggestion_id);

create table failure_patterns (
    user_id uuid not null,
    pattern_id text not null,
    source_trace_id text not null,
    evaluation_id uuid not null references evaluations (id) on delete cascade,
    title text not null,
    failure_type text not null,
    trigger_condition text not null,
    summary text not null,
    root_cause_hypothesis text not null,
    evidence jsonb not null,
    recommended_actions jsonb not null,
    reproduction_context jsonb not null,
    severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
    confidence numeric not null check (confidence between 0 and 1),
    confidence_rationale text not null,
    extracted_by text not null,
    -- Whom it happened to, as a hash that tells nobody.
    user_hash text,
    occurred_at timestamptz not null,
    extracted_at timestamptz not null,
    suggestion_id text not null,
    similarity_score double precision,
    primary key (user_id, pattern_id),
    unique (user_id, evaluation_id),
    foreign key (user_id, suggestion_id) references suggestions (user_id, suggestion_id) on delete cascade
);
create index failure_patterns_suggestion
    on failure_patterns (user_id, suggestion_id, occurred_at) include (user_hash);
create index failure_patterns_evaluation on failure_patterns (evaluation_id);

do $$
declare
    tenant_table text;
    grantee text;
begin
    foreach tenant_table in array array['mining_runs', 'mining_errors', 'suggestions', 'failure_patterns'] loop
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
