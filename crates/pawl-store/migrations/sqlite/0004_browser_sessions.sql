-- Log-ins by browsers: a cookie holds the secret, a row its hash and that of the one it replaced.
create table auth_browser_sessions (
    id text primary key not null,
    user_id text not null references auth_users (id) on delete cascade,
    secret_hash blob not null unique,
    previous_hash blob unique,
    created_at integer not null,
    rotated_at integer not null
) strict;

create index browser_sessions_user_id on auth_browser_sessions (user_id);
