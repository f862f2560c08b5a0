-- What targets and judges answered before, for runs that ask for it. Only successes, and for some days.
create table response_cache (
    -- SHA-256 of the tenant and of all that the answer depends on, cut to the size of a UUID.
    id uuid primary key,
    user_id uuid references auth.users (id) on delete cascade,
    -- JSON as it was written.
    value text not null,
    created_at timestamptz not null default now()
);

create index response_cache_age on response_cache (user_id, created_at);

alter table response_cache enable row level security;
alter table response_cache force row level security;
create policy "Users own their rows" on response_cache for all
    using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "Service role" on response_cache for all
    using ((select auth.role()) = 'service_role') with check ((select auth.role()) = 'service_role');

do $$
declare
    grantee text;
begin
    -- A runtime role that was made before this table goes on working.
    for grantee in
        select distinct given.grantee::regrole::text
        from pg_class, aclexplode(relacl) as given
        where pg_class.oid = 'sb_eval_runs'::regclass and given.privilege_type = 'INSERT'
            and given.grantee not in (0, relowner)
    loop
        execute format('grant select, insert, update, delete on response_cache to %s', grantee);
    end loop;
end
$$;
