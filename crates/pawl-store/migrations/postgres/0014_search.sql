-- The index of words becomes one for both databases: segments of up to 16,384 interactions of a tenant, and blocks of
-- the terms that stand in them.
drop trigger words_by_insert on evaluations;
drop trigger words_by_update on evaluations;
drop function pawl_queue_words;
drop table _pawl_search, _pawl_search_queue;

create table _pawl_search (
    number bigint generated always as identity primary key,
    user_id uuid not null references auth.users (id) on delete cascade,
    -- How many documents.
    size int not null,
    blocks int not null,
    -- The places of those that were changed since, or are no more.
    gone bytea not null,
    first bytea not null,
    last bytea not null,
    documents bytea not null
);
create index _pawl_search_tenants on _pawl_search (user_id);

create table _pawl_search_blocks (
    segment bigint not null,
    block int not null,
    user_id uuid not null,
    postings bytea not null,
    primary key (segment, block)
);

-- They are as small as they get.
alter table _pawl_search alter column documents set storage external;
alter table _pawl_search_blocks alter column postings set storage external;

-- Interactions that are not indexed yet, and those that were changed since or are no more.
create table _pawl_search_queue (
    number bigint generated always as identity primary key,
    user_id uuid not null,
    evaluation_ids uuid[] not null,
    changed boolean not null,
    queued_at timestamp not null default now()
);

-- A row for many interactions: what is stored together is indexed together.
create function pawl_queue_words() returns trigger language plpgsql as $f$
begin
    if tg_op = 'UPDATE' then
        insert into _pawl_search_queue (user_id, evaluation_ids, changed)
        select user_id, array_agg(id), true
        from (
            select t.user_id, t.id, row_number() over () / 500 as part
            from touched t
            left join before b on b.id = t.id
            where (t.prompt, t.response) is distinct from (b.prompt, b.response)
        ) numbered
        group by user_id, part;
        return null;
    end if;
    insert into _pawl_search_queue (user_id, evaluation_ids, changed)
    select user_id, array_agg(id), tg_op = 'DELETE'
    from (select user_id, id, row_number() over () / 500 as part from touched) numbered
    group by user_id, part;
    return null;
end
$f$;
create trigger words_by_insert after insert on evaluations
    referencing new table as touched for each statement execute function pawl_queue_words();
create trigger words_by_update after update on evaluations
    referencing old table as before new table as touched for each statement execute function pawl_queue_words();
create trigger words_by_delete after delete on evaluations
    referencing old table as touched for each statement execute function pawl_queue_words();

create function pawl_delete_blocks() returns trigger language plpgsql as $f$
begin
    delete from _pawl_search_blocks where segment = old.number;
    return null;
end
$f$;
create trigger blocks_by_segment after delete on _pawl_search
    for each row execute function pawl_delete_blocks();

do $$
declare
    tenant_table text;
    grantee text;
begin
    foreach tenant_table in array array['_pawl_search', '_pawl_search_blocks', '_pawl_search_queue'] loop
        -- A runtime role that was made before these tables goes on working.
        for grantee in
            select distinct given.grantee::regrole::text
            from pg_class, aclexplode(relacl) as given
            where pg_class.oid = 'sb_eval_runs'::regclass and given.privilege_type = 'INSERT'
                and given.grantee not in (0, relowner)
        loop
            execute format('grant select, insert, update, delete on %I to %s', tenant_table, grantee);
        end loop;
        execute format('alter table %I enable row level security', tenant_table);
        execute format('alter table %I force row level security', tenant_table);
        execute format(
            'create policy "Service role" on %I for all using ((select auth.role()) = ''service_role'')'
            ' with check ((select auth.role()) = ''service_role'')', tenant_table);
        execute format(
            'create policy "Users see their rows" on %I for select using ((select auth.uid()) = user_id)',
            tenant_table);
    end loop;
end
$$;
-- And queue what they add.
create policy "Users queue their rows" on _pawl_search_queue for insert with check ((select auth.uid()) = user_id);

-- What is there already is indexed anew. The owner of the tables sees rows by the service's claims.
select set_config('request.jwt.claims', '{"role": "service_role"}', true);
insert into _pawl_search_queue (user_id, evaluation_ids, changed)
select user_id, array_agg(id order by id), false
from (select user_id, id, row_number() over (partition by user_id order by id) / 500 as part from evaluations) numbered
group by user_id, part;
select set_config('request.jwt.claims', '', true);
