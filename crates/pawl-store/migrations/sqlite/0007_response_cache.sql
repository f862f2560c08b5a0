-- What targets and judges answered before, for runs that ask for it. Only successes, and for some days.
create table response_cache (
    -- SHA-256 of the tenant and of all that the answer depends on, cut to the size of a UUID.
    id text primary key not null,
    user_id text references auth_users (id) on delete cascade,
    -- JSON as it was written.
    value text not null,
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer))
) strict;

create index response_cache_age on response_cache (user_id, created_at);
