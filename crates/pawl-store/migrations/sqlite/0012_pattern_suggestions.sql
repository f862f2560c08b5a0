-- A pattern names its suggestion wherever that is kept: it need not be a row of this database. Patterns of a suggestion
-- that is one go with it all the same.
create table failure_patterns_of_any_suggestion (
    user_id text not null,
    pattern_id text not null,
    source_trace_id text not null,
    evaluation_id text not null references evaluations (id) on delete cascade,
    title text not null,
    failure_type text not null,
    trigger_condition text not null,
    summary text not null,
    root_cause_hypothesis text not null,
    evidence text not null,
    recommended_actions text not null,
    reproduction_context text not null,
    severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
    confidence text not null check (cast(confidence as real) between 0 and 1),
    confidence_rationale text not null,
    extracted_by text not null,
    -- Whom it happened to, as a hash that tells nobody.
    user_hash text,
    occurred_at integer not null,
    extracted_at integer not null,
    suggestion_id text not null,
    similarity_score real,
    primary key (user_id, pattern_id),
    unique (user_id, evaluation_id)
) strict;
insert into failure_patterns_of_any_suggestion select * from failure_patterns;
drop table failure_patterns;
alter table failure_patterns_of_any_suggestion rename to failure_patterns;
create index failure_patterns_suggestion on failure_patterns (user_id, suggestion_id, occurred_at, user_hash);
create index failure_patterns_evaluation on failure_patterns (evaluation_id);

create trigger patterns_by_suggestion after delete on suggestions begin
    delete from failure_patterns where user_id = old.user_id and suggestion_id = old.suggestion_id;
end;
