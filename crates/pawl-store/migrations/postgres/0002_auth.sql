-- What log-in needs: what is shown of a user, credentials, sessions, refresh tokens, API keys, secrets of the instance.
-- Tenants see none of it but their own row of auth.users, which holds no credentials.
alter table auth.users
    add column if not exists updated_at timestamptz,
    add column if not exists last_sign_in_at timestamptz,
    add column if not exists raw_app_meta_data jsonb not null default '{}',
    add column if not exists raw_user_meta_data jsonb not null default '{}';

create table auth.credentials (
    user_id uuid primary key references auth.users (id) on delete cascade,
    password_hash text not null,
    changed_at timestamptz not null
);

create table auth.sessions (
    id uuid primary key,
    user_id uuid not null references auth.users (id) on delete cascade,
    created_at timestamptz not null,
    refreshed_at timestamptz not null
);

create table auth.refresh_tokens (
    token_hash bytea primary key,
    session_id uuid not null references auth.sessions (id) on delete cascade,
    user_id uuid not null references auth.users (id) on delete cascade,
    created_at timestamptz not null,
    used_at timestamptz
);

create table auth.api_keys (
    id uuid primary key,
    user_id uuid not null references auth.users (id) on delete cascade,
    scope text not null check (scope in ('ingest', 'read', 'write')),
    key_hash bytea not null unique,
    last_four text not null,
    created_at timestamptz not null
);

-- One row.
create table _pawl_secrets (
    id boolean primary key default true check (id),
    jwt_secret text not null,
    ingestion_secret text not null,
    created_at timestamptz not null
);

create index sessions_user_id on auth.sessions (user_id);
create index refresh_tokens_session_id on auth.refresh_tokens (session_id);
create index refresh_tokens_user_id on auth.refresh_tokens (user_id);
create index api_keys_user_id on auth.api_keys (user_id);

do $$
declare
    service_table text;
    grantee text;
begin
    foreach service_table in array array[
        'auth.credentials', 'auth.sessions', 'auth.refresh_tokens', 'auth.api_keys', 'public._pawl_secrets'
    ] loop
        execute format('alter table %s enable row level security', service_table);
        execute format('alter table %s force row level security', service_table);
        execute format(
            'create policy "Service role" on %s for all using ((select auth.role()) = ''service_role'')'
            ' with check ((select auth.role()) = ''service_role'')', service_table);
        -- A runtime role that was made before these tables goes on working.
        for grantee in
            select distinct given.grantee::regrole::text
            from pg_class, aclexplode(relacl) as given
            where pg_class.oid = 'sb_eval_runs'::regclass and given.privilege_type = 'INSERT'
                and given.grantee not in (0, relowner)
        loop
            execute format('grant select, insert, update, delete on %s to %s', service_table, grantee);
        end loop;
    end loop;
end
$$;
