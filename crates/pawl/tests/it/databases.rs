//! Which database, whose data, and what is refused about them.

use pawl_testkit::{Engine, TestDatabase, on_both_engines};

use crate::rig::{Rig, Said, pawl};

on_both_engines!(with_several_users_one_must_be_named, one_user_owns_what_is_run);

async fn with_several_users_one_must_be_named(database: TestDatabase) {
    let rig = Rig { database };
    rig.database.add_users(2).await;
    let suite = rig.suite(3);
    let open = rig.run(&suite, &["--target", "echo"]).exits(2);
    for told in [
        "name one by --user or PAWL_USER",
        "user1@example.org",
        "user2@example.org",
    ] {
        assert!(open.err.contains(told), "{}", open.err);
    }
    let unknown = rig
        .run(&suite, &["--target", "echo", "--user", "user3@example.org"])
        .exits(2);
    assert!(
        unknown.err.contains("there is no user `user3@example.org`"),
        "{}",
        unknown.err
    );
    assert_eq!(
        rig.database.number("select count(*) from sb_eval_runs").await,
        0,
        "nothing is half-written"
    );
    rig.run(&suite, &["--target", "echo", "--user", "USER2@example.org"])
        .exits(0);
    let of_others = rig
        .run(
            &suite,
            &[
                "--target",
                "echo",
                "--user",
                "user1@example.org",
                "--baseline",
                "latest",
            ],
        )
        .exits(0);
    assert!(
        of_others.err.contains("this is the first baseline"),
        "the run of another user is none"
    );
}

async fn one_user_owns_what_is_run(database: TestDatabase) {
    let rig = Rig { database };
    let suite = rig.suite(3);
    rig.run(&suite, &["--target", "echo"]).exits(0);
    assert_eq!(
        rig.database
            .number("select count(*) from sb_eval_runs where user_id is null")
            .await,
        1
    );
    rig.database.add_users(1).await;
    rig.run(&suite, &["--target", "echo"]).exits(0);
    assert_eq!(
        rig.database
            .number("select count(*) from sb_eval_runs where user_id is null")
            .await,
        0
    );
    assert_eq!(
        rig.database
            .number("select count(*) from sb_eval_cases where user_id is null")
            .await,
        0
    );
    assert_eq!(rig.database.number("select count(*) from sb_eval_runs").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_migrated_by_its_owner_alone() {
    let rig = Rig::new(Engine::Postgres).await;
    let owner = rig.database.url().replace("pawl_app", "pawl_owner");
    let suite = rig.suite(1);
    let as_owner: Said = pawl()
        .args(["run", &suite[0], "--target", "echo", "--database-url", &owner])
        .output()
        .unwrap()
        .into();
    assert!(as_owner.exits(2).err.contains("`pawl_owner` owns the tables"));

    let (server, _) = owner.rsplit_once('/').unwrap();
    let empty = format!("{server}/postgres");
    let old: Said = pawl()
        .args(["run", &suite[0], "--target", "echo"])
        .env("DATABASE_URL", &empty)
        .output()
        .unwrap()
        .into();
    assert!(
        old.exits(2)
            .err
            .contains("run `pawl migrate --database-url OWNER_URL`")
    );

    let migrated: Said = pawl()
        .args(["migrate", "--database-url", &owner, "--runtime-role", "pawl_app"])
        .output()
        .unwrap()
        .into();
    let migrated = migrated.exits(0);
    assert!(
        migrated
            .out
            .starts_with("postgres://pawl_app:PASSWORD@127.0.0.1:"),
        "{}",
        migrated.out
    );
    assert!(
        migrated.err.contains("the role existed already"),
        "{}",
        migrated.err
    );

    let role = format!("pawl_new_{}", std::process::id());
    let migrated: Said = pawl()
        .args(["migrate", "--database-url", &owner, "--runtime-role", &role])
        .output()
        .unwrap()
        .into();
    let url = migrated.exits(0).out.trim().to_owned();
    let run: Said = pawl()
        .args([
            "run",
            &suite[0],
            "--checks",
            &suite[2],
            "--target",
            "echo",
            "--database-url",
            &url,
        ])
        .output()
        .unwrap()
        .into();
    run.exits(0);
}

#[test]
fn an_unreachable_server_is_a_matter_of_infrastructure() {
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("cases.jsonl");
    std::fs::write(&suite, "{\"id\": \"a\", \"input\": \"b\"}\n").unwrap();
    let said: Said = pawl()
        .args(["run", &suite.to_string_lossy(), "--target", "echo"])
        .args(["--database-url", "postgres://app:s3cret@127.0.0.1:1/pawl"])
        .output()
        .unwrap()
        .into();
    let said = said.exits(3);
    assert!(
        said.err.contains("cannot reach the database") && !said.err.contains("s3cret"),
        "{}",
        said.err
    );
}
