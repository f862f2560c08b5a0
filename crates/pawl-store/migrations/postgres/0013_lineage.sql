-- What led to what: a chain of entries for each tenant, each with the hash of the row that it names.
create table lineage (
    user_id uuid not null references auth.users (id) on delete cascade,
    -- From 1, without a gap.
    position bigint not null,
    kind text not null,
    node text collate "C" not null,
    event text not null,
    -- Of the row; of a row that is gone, as it was last.
    sha256 bytea not null,
    at timestamptz not null,
    -- Of the entry and the hash of the one before it.
    hash bytea not null,
    primary key (user_id, position)
);
create index lineage_nodes on lineage (user_id, node, kind, position);

-- What led to the node of an entry.
create table lineage_parents (
    user_id uuid not null,
    position bigint not null,
    kind text not null,
    node text collate "C" not null,
    primary key (user_id, position, kind, node),
    foreign key (user_id, position) references lineage (user_id, position) on delete cascade
);
create index lineage_children on lineage_parents (user_id, node, kind, position);

do $$
declare
    tenant_table text;
    grantee text;
begin
    foreach tenant_table in array array['lineage', 'lineage_parents'] loop
        execute format('alter table %I enable row level security', tenant_table);
        execute format('alter table %I force row level security', tenant_table);
        execute format(
            'create policy "Service role" on %I for all using ((select auth.role()) = ''service_role'')'
            ' with check ((select auth.role()) = ''service_role'')', tenant_table);
        execute format(
            'create policy "Users see their rows" on %I for select using ((select auth.uid()) = user_id)',
            tenant_table);
        -- What they do to rows of theirs is told.
        execute format(
            'create policy "Users add to their rows" on %I for insert with check ((select auth.uid()) = user_id)',
            tenant_table);
        -- Nothing is changed or removed, but with its tenant. A runtime role that was made before these tables goes on
        -- working.
        for grantee in
            select distinct given.grantee::regrole::text
            from pg_class, aclexplode(relacl) as given
            where pg_class.oid = 'sb_eval_runs'::regclass and given.privilege_type = 'INSERT'
                and given.grantee not in (0, relowner)
        loop
            execute format('grant select, insert on %I to %s', tenant_table, grantee);
        end loop;
    end loop;
end
$$;
