//! The index of words: what was there before it, and who changes it.

use std::collections::BTreeSet;

use pawl_store::search::{self, Gathered, Merge};
use pawl_store::{Actor, Location, Store};
use pawl_testkit::{Engine, TestDatabase, on_both_engines, samples};
use sqlx::{Connection as _, Executor as _};

on_both_engines!(
    what_was_there_before_is_indexed,
    nobody_indexes_what_somebody_else_has,
    what_is_deleted_leaves_the_index,
    a_tenant_leaves_the_index_at_once,
);

fn each_word(text: &str, found: &mut dyn FnMut(&str)) {
    text.split(' ').for_each(found);
}

async fn add_rows(database: &TestDatabase, count: u32) {
    database.add_users(1).await;
    let user = samples::user(1).id.to_string();
    for number in 0..count {
        let insert = [
            "insert into evaluations (user_id, interaction_id, prompt, response) values ('",
            &user,
            "', 'i",
            &number.to_string(),
            "', 'a', 'b')",
        ]
        .concat();
        database.run(&insert).await;
    }
}

async fn gathered(store: &Store) -> Option<Gathered> {
    let mut scope = store.write(Actor::Service).await.unwrap();
    search::claim(&mut scope, 100).await.unwrap();
    scope.commit().await.unwrap();
    let mut scope = store.read(Actor::Service).await.unwrap();
    Gathered::read(&mut scope, 100, each_word).await.unwrap()
}

/// As the schema was before, as far as the migration needs it.
const UNDO_SQLITE: &str = "
    drop trigger words_by_delete; drop trigger blocks_by_segment;
    drop table _pawl_search; drop table _pawl_search_blocks; drop table _pawl_search_mark;
    create virtual table _pawl_search using fts5(document, content = '', contentless_delete = 1);
    create trigger words_by_indexing after delete on _pawl_search_queue begin
        delete from _pawl_search where rowid = old.number;
    end;
    delete from _pawl_migrations where version = 14;
";
const UNDO_POSTGRES: &str = "
    drop trigger words_by_insert on evaluations; drop trigger words_by_update on evaluations;
    drop trigger words_by_delete on evaluations;
    drop table _pawl_search, _pawl_search_blocks, _pawl_search_queue;
    drop function pawl_queue_words, pawl_delete_blocks;
    create table _pawl_search (evaluation_id uuid); create table _pawl_search_queue (number bigint);
    create function pawl_queue_words() returns trigger language plpgsql as 'begin return null; end';
    create trigger words_by_insert after insert on evaluations for each statement execute function pawl_queue_words();
    create trigger words_by_update after update on evaluations for each statement execute function pawl_queue_words();
    delete from _pawl_migrations where version = 14;
";

async fn what_was_there_before_is_indexed(database: TestDatabase) {
    add_rows(&database, 3).await;
    match &database.location {
        Location::Sqlite(_) => {
            let mut connection = sqlx::SqliteConnection::connect(&database.url()).await.unwrap();
            connection.execute(sqlx::raw_sql(UNDO_SQLITE)).await.unwrap();
        }
        Location::Postgres(_) => {
            let owner = database.url().replace("pawl_app", "pawl_owner");
            let mut connection = sqlx::PgConnection::connect(&owner).await.unwrap();
            connection.execute(sqlx::raw_sql(UNDO_POSTGRES)).await.unwrap();
            pawl_store::migrate_postgres(&owner, None).await.unwrap();
        }
    }
    let store = Store::open(&database.location).await.unwrap();
    let change = gathered(&store).await.unwrap().into_change();
    let mut scope = store.write(Actor::Service).await.unwrap();
    assert_eq!(
        change.write(&mut scope).await.unwrap(),
        Some(BTreeSet::from([samples::user(1).id]))
    );
    scope.commit().await.unwrap();
    assert_eq!(database.number("select sum(size) from _pawl_search").await, 3);
    assert!(gathered(&store).await.is_none());
    store.close().await;
}

/// Two gather the same interactions, and one of them writes first.
async fn nobody_indexes_what_somebody_else_has(database: TestDatabase) {
    add_rows(&database, 4).await;
    let both = [gathered(&database.store).await, gathered(&database.store).await];
    let mut told = Vec::new();
    for gathered in both {
        let mut scope = database.store.write(Actor::Service).await.unwrap();
        let written = gathered.unwrap().into_change().write(&mut scope).await.unwrap();
        told.push(written.is_some());
        if written.is_some() {
            scope.commit().await.unwrap();
        }
    }
    assert_eq!(told, [true, false]);
    // A change between gathering and writing is not lost.
    database
        .run("update evaluations set prompt = 'c' where interaction_id = 'i1'")
        .await;
    let change = gathered(&database.store).await.unwrap().into_change();
    database
        .run("update evaluations set prompt = 'd' where interaction_id = 'i1'")
        .await;
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    assert!(change.write(&mut scope).await.unwrap().is_some());
    scope.commit().await.unwrap();
    assert!(gathered(&database.store).await.is_some());
    // While somebody is at it, nobody else is.
    if database.engine == Engine::Postgres {
        let change = gathered(&database.store).await.unwrap().into_change();
        let late = gathered(&database.store).await.unwrap().into_change();
        let mut scope = database.store.write(Actor::Service).await.unwrap();
        assert!(change.write(&mut scope).await.unwrap().is_some());
        let mut other = database.store.write(Actor::Service).await.unwrap();
        assert!(late.write(&mut other).await.unwrap().is_none());
    }
}

/// Nothing is left of interactions that are no more, though nothing new comes.
async fn what_is_deleted_leaves_the_index(database: TestDatabase) {
    add_rows(&database, 8).await;
    let merged = async || {
        let change = gathered(&database.store).await.unwrap().into_change();
        let mut scope = database.store.write(Actor::Service).await.unwrap();
        let tenants = change.write(&mut scope).await.unwrap().unwrap();
        scope.commit().await.unwrap();
        for tenant in tenants {
            let mut scope = database.store.write(Actor::Service).await.unwrap();
            if let Some(merge) = Merge::read(&mut scope, tenant).await.unwrap() {
                merge.into_change().unwrap().write(&mut scope).await.unwrap();
                scope.commit().await.unwrap();
            }
        }
        let segments = database.number("select count(*) from _pawl_search").await;
        (
            segments,
            database.number("select count(*) from _pawl_search_blocks").await,
        )
    };
    assert_eq!(merged().await, (1, 1));
    database
        .run("delete from evaluations where interaction_id < 'i3'")
        .await;
    assert_eq!(merged().await, (1, 1));
    assert_eq!(database.number("select sum(size) from _pawl_search").await, 5);
    database.run("delete from evaluations").await;
    assert_eq!(merged().await, (0, 0));
}

async fn a_tenant_leaves_the_index_at_once(database: TestDatabase) {
    add_rows(&database, 3).await;
    let change = gathered(&database.store).await.unwrap().into_change();
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    assert!(change.write(&mut scope).await.unwrap().is_some());
    scope.commit().await.unwrap();
    assert_eq!(
        database.number("select count(*) from _pawl_search_blocks").await,
        1
    );
    database
        .run(match database.engine {
            Engine::Sqlite => "pragma foreign_keys = on; delete from auth_users",
            Engine::Postgres => "delete from auth.users",
        })
        .await;
    let left = [
        database.number("select count(*) from _pawl_search").await,
        database.number("select count(*) from _pawl_search_blocks").await,
    ];
    assert_eq!(left, [0, 0]);
}
