-- What log-in needs: what is shown of a user, credentials, sessions, refresh tokens, API keys. The secrets of the
-- instance stand in a file beside the database.
alter table auth_users add column updated_at integer;
alter table auth_users add column last_sign_in_at integer;
alter table auth_users add column raw_app_meta_data text not null default '{}';
alter table auth_users add column raw_user_meta_data text not null default '{}';

create table auth_credentials (
    user_id text primary key not null references auth_users (id) on delete cascade,
    password_hash text not null,
    changed_at integer not null
) strict;

create table auth_sessions (
    id text primary key not null,
    user_id text not null references auth_users (id) on delete cascade,
    created_at integer not null,
    refreshed_at integer not null
) strict;

create table auth_refresh_tokens (
    token_hash blob primary key not null,
    session_id text not null references auth_sessions (id) on delete cascade,
    user_id text not null references auth_users (id) on delete cascade,
    created_at integer not null,
    used_at integer
) strict;

create table auth_api_keys (
    id text primary key not null,
    user_id text not null references auth_users (id) on delete cascade,
    scope text not null check (scope in ('ingest', 'read', 'write')),
    key_hash blob not null unique,
    last_four text not null,
    created_at integer not null
) strict;

create index sessions_user_id on auth_sessions (user_id);
create index refresh_tokens_session_id on auth_refresh_tokens (session_id);
create index refresh_tokens_user_id on auth_refresh_tokens (user_id);
create index api_keys_user_id on auth_api_keys (user_id);
