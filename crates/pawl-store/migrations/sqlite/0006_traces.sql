-- Traces by their own ids: with or without an interaction behind them, and what is known of them beside their spans.
create table interaction_traces_of_any_source (
    id text primary key not null default (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    )),
    user_id text not null references auth_users (id) on delete cascade,
    evaluation_id text unique references evaluations (id) on delete cascade,
    created_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    spans text not null default '[]',
    trace_id text,
    -- Whether the interaction was made from the spans, and follows them.
    assembled integer not null default 0 check (assembled in (0, 1)),
    input_tokens integer check (input_tokens >= 0),
    output_tokens integer check (output_tokens >= 0),
    cost_usd real check (cost_usd >= 0 and cost_usd < 9e999),
    -- Why the interaction has no score.
    unscored text check (unscored in ('sampled_out', 'over_cap', 'no_check')),
    check_results text,
    first_seen integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    last_seen integer not null default (cast(unixepoch('subsec') * 1000000 as integer)),
    -- Whom it happened to, as a hash that tells nobody.
    user_hash text,
    unique (user_id, trace_id)
) strict;

insert into interaction_traces_of_any_source
    (id, user_id, evaluation_id, created_at, spans, trace_id, first_seen, last_seen)
select t.id, t.user_id, t.evaluation_id, t.created_at, t.spans, e.interaction_id, e.received_at, e.received_at
from interaction_traces t
join evaluations e on e.user_id = t.user_id and e.id = t.evaluation_id;

drop table interaction_traces;
alter table interaction_traces_of_any_source rename to interaction_traces;

-- What scores arriving traces: checks in YAML, as suites have them under `assert`.
alter table evaluation_configs add column online_checks text;
