-- Runs that make drafts of regression tests. Drafts themselves stand in their suggestions.
create table eval_test_runs (
    user_id uuid not null references auth.users (id) on delete cascade,
    run_id text not null,
    started_at timestamptz not null,
    finished_at timestamptz not null,
    triggered_by text not null check (triggered_by in ('scheduled', 'manual')),
    batch_size int not null,
    picked_up_count int not null,
    generated_count int not null,
    skipped_count int not null,
    error_count int not null,
    suggestion_outcomes jsonb not null default '[]',
    cost_usd numeric not null default 0,
    primary key (user_id, run_id)
);
create index eval_test_runs_newest on eval_test_runs (user_id, started_at desc);

create table eval_test_errors (
    user_id uuid not null,
    run_id text not null,
    suggestion_id text not null,
    error_type text not null check (
        error_type in ('invalid_json', 'schema_validation', 'vertex_error', 'timeout', 'unknown')
    ),
    error_message text not null,
    recorded_at timestamptz not null,
    model_response_sha256 text,
    model_response_excerpt text,
    primary key (user_id, run_id, suggestion_id),
    foreign key (user_id, run_id) references eval_test_runs (user_id, run_id) on delete cascade
);

do $$
declare
    tenant_table text;
    grantee text;
begin
    foreach tenant_table in array array['eval_test_runs', 'eval_test_errors'] loop
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
