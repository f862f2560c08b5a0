-- What led to what: a chain of entries for each tenant, each with the hash of the row that it names.
create table lineage (
    user_id text not null references auth_users (id) on delete cascade,
    -- From 1, without a gap.
    position integer not null,
    kind text not null,
    node text not null,
    event text not null,
    -- Of the row; of a row that is gone, as it was last.
    sha256 blob not null,
    at integer not null,
    -- Of the entry and the hash of the one before it.
    hash blob not null,
    primary key (user_id, position)
) strict, without rowid;
create index lineage_nodes on lineage (user_id, node, kind, position);

-- What led to the node of an entry.
create table lineage_parents (
    user_id text not null,
    position integer not null,
    kind text not null,
    node text not null,
    primary key (user_id, position, kind, node),
    foreign key (user_id, position) references lineage (user_id, position) on delete cascade
) strict, without rowid;
create index lineage_children on lineage_parents (user_id, node, kind, position);
