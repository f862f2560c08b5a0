-- Traces by their own ids: with or without an interaction behind them, and what is known of them beside their spans.
-- The columns that earlier servers do not write can be left out, so that these go on working.
alter table interaction_traces
    alter column evaluation_id drop not null,
    add column trace_id text,
    -- Whether the interaction was made from the spans, and follows them.
    add column assembled boolean not null default false,
    add column input_tokens bigint check (input_tokens >= 0),
    add column output_tokens bigint check (output_tokens >= 0),
    add column cost_usd double precision check (cost_usd >= 0 and cost_usd < 'Infinity'),
    -- Why the interaction has no score.
    add column unscored text check (unscored in ('sampled_out', 'over_cap', 'no_check')),
    add column check_results jsonb,
    add column first_seen timestamp not null default now(),
    add column last_seen timestamp not null default now(),
    -- Whom it happened to, as a hash that tells nobody.
    add column user_hash text;

-- Row level security holds for the owner, too.
select set_config('request.jwt.claims', '{"role": "service_role"}', true);
update interaction_traces t
set trace_id = e.interaction_id, first_seen = e.received_at, last_seen = e.received_at
from evaluations e
where e.user_id = t.user_id and e.id = t.evaluation_id;
select set_config('request.jwt.claims', '', true);

alter table interaction_traces add unique (user_id, trace_id);

-- What scores arriving traces: checks in YAML, as suites have them under `assert`.
alter table evaluation_configs add column online_checks text;
