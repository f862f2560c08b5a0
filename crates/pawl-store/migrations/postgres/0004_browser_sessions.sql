-- Log-ins by browsers: a cookie holds the secret, a row its hash and that of the one it replaced.
create table auth.browser_sessions (
    id uuid primary key,
    user_id uuid not null references auth.users (id) on delete cascade,
    secret_hash bytea not null unique,
    previous_hash bytea unique,
    created_at timestamptz not null,
    rotated_at timestamptz not null
);

create index browser_sessions_user_id on auth.browser_sessions (user_id);

alter table auth.browser_sessions enable row level security;
alter table auth.browser_sessions force row level security;
create policy "Service role" on auth.browser_sessions for all
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
        execute format('grant select, insert, update, delete on auth.browser_sessions to %s', grantee);
    end loop;
end
$$;
