-- What workers have to do, and when it is time for it.
create table jobs (
    id text primary key not null,
    user_id text not null references auth_users (id) on delete cascade,
    kind text not null,
    payload text not null default '{}',
    -- Of two jobs with the same kind and key one waits; none waits for nothing.
    dedup_key text,
    priority integer not null default 0 check (priority between -2147483648 and 2147483647),
    state text not null default 'queued' check (state in ('queued', 'running', 'finished', 'dead')),
    -- Since there was progress.
    attempts integer not null default 0 check (attempts between 0 and 2147483647),
    run_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    -- Whose it is while it runs, and for how long without a sign of life.
    lease text,
    lease_until integer,
    error text,
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    finished_at integer
) strict;

create unique index jobs_waiting on jobs (user_id, kind, dedup_key) where state = 'queued';
create index jobs_due on jobs (priority desc, run_at) where state = 'queued';
create index jobs_running on jobs (lease_until) where state = 'running';
create index jobs_ended on jobs (user_id, finished_at) where state in ('finished', 'dead');

create table schedules (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    -- Of one tenant; of all without.
    user_id text references auth_users (id) on delete cascade,
    name text not null,
    kind text not null,
    payload text not null default '{}',
    every_seconds integer not null check (every_seconds between 10 and 31536000),
    enabled integer not null default 1 check (enabled in (0, 1)),
    next_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    unique (user_id, name)
) strict;

insert into schedules (name, kind, every_seconds) values ('mine', 'mine', 600);
