-- What workers have to do, and when it is time for it.
create table jobs (
    id uuid primary key,
    user_id uuid not null references auth.users (id) on delete cascade,
    kind text not null,
    payload jsonb not null default '{}',
    -- Of two jobs with the same kind and key one waits; none waits for nothing.
    dedup_key text,
    priority int not null default 0,
    state text not null default 'queued' check (state in ('queued', 'running', 'finished', 'dead')),
    -- Since there was progress.
    attempts int not null default 0 check (attempts >= 0),
    run_at timestamptz not null default now(),
    -- Whose it is while it runs, and for how long without a sign of life.
    lease uuid,
    lease_until timestamptz,
    error text,
    created_at timestamptz not null default now(),
    finished_at timestamptz
);

create unique index jobs_waiting on jobs (user_id, kind, dedup_key) where state = 'queued';
create index jobs_due on jobs (priority desc, run_at) where state = 'queued';
create index jobs_running on jobs (lease_until) where state = 'running';
create index jobs_ended on jobs (user_id, finished_at) where state in ('finished', 'dead');

create table schedules (
    id uuid primary key default gen_random_uuid(),
    -- Of one tenant; of all without.
    user_id uuid references auth.users (id) on delete cascade,
    name text not null,
    kind text not null,
    payload jsonb not null default '{}',
    every_seconds int not null check (every_seconds between 10 and 31536000),
    enabled boolean not null default true,
    next_at timestamptz not null default now(),
    unique (user_id, name)
);

insert into schedules (name, kind, every_seconds) values ('mine', 'mine', 600);

-- Workers that wait are told on commit.
create function pawl_notify_workers() returns trigger language plpgsql as $f$
begin
    notify pawl_jobs;
    return null;
end
$f$;
create trigger notify_workers after insert on jobs for each statement execute function pawl_notify_workers();

do $$
declare
    tenant_table text;
    grantee text;
begin
    foreach tenant_table in array array['jobs', 'schedules'] loop
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

-- A change of theirs may call for work in the same transaction.
create policy "Users queue their jobs" on jobs for insert with check ((select auth.uid()) = user_id);
