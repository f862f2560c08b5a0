-- The index of words becomes one for both databases: segments of up to 16,384 interactions of a tenant, and blocks of
-- the terms that stand in them.
drop trigger words_by_insert;
drop trigger words_by_update;
drop trigger stale_by_delete;
drop trigger words_by_indexing;
drop table _pawl_search;
drop table _pawl_search_queue;

create table _pawl_search (
    number integer primary key autoincrement,
    user_id text not null references auth_users (id) on delete cascade,
    -- How many documents.
    size integer not null,
    blocks integer not null,
    -- The places of those that were changed since, or are no more.
    gone blob not null,
    first blob not null,
    last blob not null,
    documents blob not null
) strict;
create index _pawl_search_tenants on _pawl_search (user_id);

create table _pawl_search_blocks (
    segment integer not null,
    block integer not null,
    user_id text not null,
    postings blob not null,
    primary key (segment, block)
) strict;

-- Interactions up to this number are indexed, and up to the claimed one they are about to be; but for those in the queue.
create table _pawl_search_mark (number integer not null, claimed integer not null) strict;
insert into _pawl_search_mark (number, claimed) values (0, 0);

-- Those whose words were changed, and those that are no more.
create table _pawl_search_queue (
    position integer primary key autoincrement,
    number integer not null,
    user_id text not null,
    queued_at integer not null default (cast(unixepoch('subsec') * 1000000 as integer))
) strict;

create trigger words_by_insert after insert on evaluations
when new.number <= (select claimed from _pawl_search_mark) begin
    insert into _pawl_search_queue (number, user_id, queued_at)
    values (new.number, new.user_id, new.received_at);
end;
create trigger words_by_update after update of prompt, response on evaluations
when new.number <= (select claimed from _pawl_search_mark) begin
    insert into _pawl_search_queue (number, user_id) values (new.number, new.user_id);
end;
create trigger words_by_delete after delete on evaluations
when old.number <= (select claimed from _pawl_search_mark) begin
    insert into _pawl_search_queue (number, user_id) values (old.number, old.user_id);
end;
create trigger stale_by_delete after delete on evaluations begin
    insert or ignore into stale_hours (user_id, hour)
    values (old.user_id, old.created_at - ((old.created_at % 3600000000) + 3600000000) % 3600000000);
end;
create trigger blocks_by_segment after delete on _pawl_search begin
    delete from _pawl_search_blocks where segment = old.number;
end;
