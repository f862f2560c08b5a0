-- What agents did in production, how their tenant wants it evaluated, and what came of it by the hour.
create table evaluation_configs (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null unique references auth.users (id) on delete cascade,
    run_policy text not null default 'always' check (run_policy in ('always', 'sampled')),
    sample_rate_pct int not null default 100 check (sample_rate_pct between 0 and 100),
    obfuscate_pii boolean not null default false,
    max_eval_per_day int not null default 1000 check (max_eval_per_day >= 0),
    created_at timestamp not null default now(),
    timezone text not null default 'UTC',
    keep_failures boolean not null default true,
    failure_flags text[] not null default '{hallucination,toxicity,safety_violation,prompt_injection,guardrail_failed,wrong_tool,runaway_loop,pii_leak,pii_found,stale_data}',
    failure_score double precision not null default 0.5 check (failure_score between 0 and 1),
    success_threshold_pct int not null default 80 check (success_threshold_pct between 0 and 100),
    sample_salt text not null default replace(gen_random_uuid()::text, '-', ''),
    pii_patterns jsonb not null default '[]',
    version int not null default 1,
    updated_at timestamp not null default now()
);

create table evaluations (
    id uuid primary key default gen_random_uuid(),
    interaction_id text not null,
    user_id uuid not null references auth.users (id) on delete cascade,
    prompt text not null,
    response text not null,
    score numeric check (score between 0 and 1),
    latency_ms int check (latency_ms >= 0),
    flags text[] not null default '{}',
    pii_tokens_redacted int not null default 0 check (pii_tokens_redacted >= 0),
    created_at timestamp not null default now(),
    received_at timestamp not null default now(),
    sample_weight double precision not null default 1 check (sample_weight > 0 and sample_weight < 'Infinity'),
    trace jsonb,
    redactions jsonb,
    -- Of the fields as they were received; none for a row that did not come through intake.
    content_hash bytea,
    unique (user_id, interaction_id)
);

create table interaction_traces (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references auth.users (id) on delete cascade,
    evaluation_id uuid not null unique references evaluations (id) on delete cascade,
    created_at timestamp not null default now(),
    spans jsonb not null default '[]'
);

-- What the policy did not store, and why.
create table intake_ledger (
    user_id uuid not null references auth.users (id) on delete cascade,
    interaction_id text not null,
    day date not null,
    reason text not null check (reason in ('sampled_out', 'over_cap')),
    attempts int not null default 1 check (attempts > 0),
    first_at timestamp not null default now(),
    last_at timestamp not null default now(),
    primary key (user_id, interaction_id, day, reason)
);

-- How much of a day's cap is used.
create table intake_days (
    user_id uuid not null references auth.users (id) on delete cascade,
    day date not null,
    stored bigint not null check (stored >= 0),
    primary key (user_id, day)
);

-- What each local hour of a tenant came to, by the instant at which it begins.
create table interaction_rollups (
    user_id uuid not null references auth.users (id) on delete cascade,
    hour timestamp not null,
    data jsonb not null,
    primary key (user_id, hour)
);

-- Hours of UTC whose rows were changed by others than intake; 1970 stands for all. Without a foreign key, since
-- deleting a user deletes their rows, which marks hours.
create table stale_hours (
    user_id uuid not null,
    hour timestamp not null,
    primary key (user_id, hour)
);

-- The words of prompts and responses, hashed together with the tenant. Without row level security, under which no index
-- of words can be used: whether an array contains another could tell of rows that nobody may see. Who reads it has
-- ids and numbers; the interactions behind them are protected.
create table _pawl_search (
    evaluation_id uuid primary key references evaluations (id) on delete cascade,
    user_id uuid not null,
    words int[] not null
);

-- Interactions whose words are not indexed yet.
create table _pawl_search_queue (
    number bigint generated always as identity primary key,
    user_id uuid not null,
    evaluation_ids uuid[] not null,
    queued_at timestamp not null default now()
);

-- What lists are sorted by. An index in the order of scores or latencies would cost a page for every row that is
-- stored; this one grows at its end, and is looked through in a moment.
create index evaluations_newest on evaluations (user_id, created_at desc) include (score, latency_ms, id);
create index intake_ledger_first on intake_ledger (user_id, first_at);
create index _pawl_search_words on _pawl_search using gin (words);

create function pawl_mark_stale_hour() returns trigger language plpgsql as $f$
begin
    if tg_op <> 'INSERT' then
        insert into stale_hours (user_id, hour) values (old.user_id, date_trunc('hour', old.created_at))
        on conflict do nothing;
    end if;
    if tg_op <> 'DELETE' then
        insert into stale_hours (user_id, hour) values (new.user_id, date_trunc('hour', new.created_at))
        on conflict do nothing;
    end if;
    return null;
end
$f$;
create trigger stale_by_insert after insert on evaluations
    for each row when (new.content_hash is null) execute function pawl_mark_stale_hour();
create trigger stale_by_update after update on evaluations
    for each row execute function pawl_mark_stale_hour();
create trigger stale_by_delete after delete on evaluations
    for each row execute function pawl_mark_stale_hour();

-- A row for many interactions: what is stored together is indexed together.
create function pawl_queue_words() returns trigger language plpgsql as $f$
begin
    insert into _pawl_search_queue (user_id, evaluation_ids)
    select user_id, array_agg(id)
    from (select user_id, id, row_number() over () / 500 as part from changed) numbered
    group by user_id, part;
    return null;
end
$f$;
create trigger words_by_insert after insert on evaluations
    referencing new table as changed for each statement execute function pawl_queue_words();
create trigger words_by_update after update on evaluations
    referencing new table as changed for each statement execute function pawl_queue_words();

create function pawl_change_policy() returns trigger language plpgsql as $f$
begin
    new.version := old.version + 1;
    new.updated_at := now();
    if new.timezone <> old.timezone then
        insert into stale_hours (user_id, hour) values (new.user_id, '1970-01-01') on conflict do nothing;
    end if;
    return new;
end
$f$;
create trigger change_policy before update on evaluation_configs
    for each row execute function pawl_change_policy();

do $$
declare
    tenant_table text;
    grantee text;
begin
    foreach tenant_table in array array[
        'evaluation_configs', 'evaluations', 'interaction_traces', 'intake_ledger', 'intake_days',
        'interaction_rollups', 'stale_hours', '_pawl_search_queue', '_pawl_search'
    ] loop
        -- A runtime role that was made before these tables goes on working.
        for grantee in
            select distinct given.grantee::regrole::text
            from pg_class, aclexplode(relacl) as given
            where pg_class.oid = 'sb_eval_runs'::regclass and given.privilege_type = 'INSERT'
                and given.grantee not in (0, relowner)
        loop
            execute format('grant select, insert, update, delete on %I to %s', tenant_table, grantee);
        end loop;
        continue when tenant_table = '_pawl_search';
        execute format('alter table %I enable row level security', tenant_table);
        execute format('alter table %I force row level security', tenant_table);
        execute format(
            'create policy "Service role" on %I for all using ((select auth.role()) = ''service_role'')'
            ' with check ((select auth.role()) = ''service_role'')', tenant_table);
    end loop;
    foreach tenant_table in array array['interaction_traces', 'intake_ledger', 'intake_days',
        'interaction_rollups', '_pawl_search_queue'] loop
        execute format(
            'create policy "Users see their rows" on %I for select using ((select auth.uid()) = user_id)',
            tenant_table);
    end loop;
end
$$;

create policy "User can view their own config" on evaluation_configs
    for select using ((select auth.uid()) = user_id);
create policy "User can manage their own config" on evaluation_configs
    for all using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "User can view their own evaluations" on evaluations
    for select using ((select auth.uid()) = user_id);
create policy "User can insert their own evaluations" on evaluations
    for insert with check ((select auth.uid()) = user_id);
-- Their own changes mark hours.
create policy "Users mark their hours" on stale_hours for all using ((select auth.uid()) = user_id)
    with check ((select auth.uid()) = user_id);
-- And queue what they add.
create policy "Users queue their rows" on _pawl_search_queue for insert with check ((select auth.uid()) = user_id);
