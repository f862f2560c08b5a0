-- What agents did in production, how their tenant wants it evaluated, and what came of it by the hour.
create table evaluation_configs (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    user_id text not null unique references auth_users (id) on delete cascade,
    run_policy text not null default 'always' check (run_policy in ('always', 'sampled')),
    sample_rate_pct integer not null default 100 check (sample_rate_pct between 0 and 100),
    obfuscate_pii integer not null default 0 check (obfuscate_pii in (0, 1)),
    max_eval_per_day integer not null default 1000 check (max_eval_per_day between 0 and 2147483647),
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    timezone text not null default 'UTC',
    keep_failures integer not null default 1 check (keep_failures in (0, 1)),
    failure_flags text not null default '["hallucination","toxicity","safety_violation","prompt_injection","guardrail_failed","wrong_tool","runaway_loop","pii_leak","pii_found","stale_data"]',
    failure_score real not null default 0.5 check (failure_score between 0 and 1),
    success_threshold_pct integer not null default 80 check (success_threshold_pct between 0 and 100),
    sample_salt text not null default (lower(hex(randomblob(16)))),
    pii_patterns text not null default '[]',
    version integer not null default 1 check (version between -2147483648 and 2147483647),
    updated_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer))
) strict;

create table evaluations (
    -- The row's number, which the search index refers to; PostgreSQL needs none.
    number integer primary key,
    id text not null unique default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    interaction_id text not null,
    user_id text not null references auth_users (id) on delete cascade,
    prompt text not null,
    response text not null,
    score text check (cast(score as real) between 0 and 1),
    latency_ms integer check (latency_ms between 0 and 2147483647),
    flags text not null default '[]',
    pii_tokens_redacted integer not null default 0 check (pii_tokens_redacted between 0 and 2147483647),
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    received_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    sample_weight real not null default 1 check (sample_weight > 0 and sample_weight < 9e999),
    trace text,
    redactions text,
    -- Of the fields as they were received; none for a row that did not come through intake.
    content_hash blob,
    unique (user_id, interaction_id)
) strict;

create table interaction_traces (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    user_id text not null references auth_users (id) on delete cascade,
    evaluation_id text not null unique references evaluations (id) on delete cascade,
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    spans text not null default '[]'
) strict;

-- What the policy did not store, and why.
create table intake_ledger (
    user_id text not null references auth_users (id) on delete cascade,
    interaction_id text not null,
    day text not null,
    reason text not null check (reason in ('sampled_out', 'over_cap')),
    attempts integer not null default 1 check (attempts between 1 and 2147483647),
    first_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    last_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    primary key (user_id, interaction_id, day, reason)
) strict, without rowid;

-- How much of a day's cap is used.
create table intake_days (
    user_id text not null references auth_users (id) on delete cascade,
    day text not null,
    stored integer not null check (stored >= 0),
    primary key (user_id, day)
) strict, without rowid;

-- What each local hour of a tenant came to, by the instant at which it begins.
create table interaction_rollups (
    user_id text not null references auth_users (id) on delete cascade,
    hour integer not null,
    data text not null,
    primary key (user_id, hour)
) strict;

-- Hours of UTC whose rows were changed by others than intake; 1970 stands for all. Without a foreign key, since
-- deleting a user deletes their rows, which marks hours.
create table stale_hours (
    user_id text not null,
    hour integer not null,
    primary key (user_id, hour)
) strict, without rowid;

-- The words of prompts and responses by the number of the row, with the tenant as a word among them.
create virtual table _pawl_search using fts5(
    document, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

-- Rows whose words are not indexed yet: new ones, those whose words were changed, and those that are gone.
create table _pawl_search_queue (
    number integer primary key,
    user_id text not null,
    queued_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer))
) strict;

-- What lists are filtered and sorted by. An index in the order of scores or latencies would cost a page for every row
-- that is stored; this one grows at its end, and is looked through in a moment.
create index evaluations_newest on evaluations (user_id, created_at desc, cast(score as real), latency_ms, flags);
create index intake_ledger_first on intake_ledger (user_id, first_at);

create trigger stale_by_insert after insert on evaluations when new.content_hash is null begin
    insert or ignore into stale_hours (user_id, hour)
    values (new.user_id, new.created_at - ((new.created_at % 3600000000) + 3600000000) % 3600000000);
end;
create trigger stale_by_update after update on evaluations begin
    insert or ignore into stale_hours (user_id, hour)
    values
        (old.user_id, old.created_at - ((old.created_at % 3600000000) + 3600000000) % 3600000000),
        (new.user_id, new.created_at - ((new.created_at % 3600000000) + 3600000000) % 3600000000);
end;
create trigger words_by_insert after insert on evaluations begin
    insert or ignore into _pawl_search_queue (number, user_id, queued_at)
    values (new.number, new.user_id, new.received_at);
end;
create trigger words_by_update after update of prompt, response on evaluations begin
    insert or ignore into _pawl_search_queue (number, user_id) values (new.number, new.user_id);
end;
create trigger stale_by_delete after delete on evaluations begin
    insert or ignore into stale_hours (user_id, hour)
    values (old.user_id, old.created_at - ((old.created_at % 3600000000) + 3600000000) % 3600000000);
    insert or ignore into _pawl_search_queue (number, user_id) values (old.number, old.user_id);
end;
-- Whoever takes a row from the queue goes on to index what it says now.
create trigger words_by_indexing after delete on _pawl_search_queue begin
    delete from _pawl_search where rowid = old.number;
end;
create trigger change_policy after update on evaluation_configs begin
    update evaluation_configs
    set version = old.version + 1, updated_at = cast(unixepoch('subsec') * 1000000 as integer)
    where id = new.id;
    insert or ignore into stale_hours (user_id, hour)
    select new.user_id, 0 where new.timezone <> old.timezone;
end;
