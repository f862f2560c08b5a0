//! Suggestions in Firestore, as the command line is told of it.

use pawl_testkit::{TestDatabase, over_firestore};

use crate::rig::{Rig, Said};

over_firestore!(
    the_doctor_tells_where_suggestions_are,
    what_cannot_be_used_is_usage_and_what_fails_is_not,
);

async fn the_doctor_tells_where_suggestions_are(database: TestDatabase) {
    let mut rig = Rig { database };
    rig.say(&["user", "add", "ada@example.org"]).exits(0);
    let report = rig.say(&["doctor", "--json"]).exits(0).json();
    let named = |list: &str, name: &str| {
        let mut all = report[list].as_array().unwrap().iter();
        all.find(|one| one["name"] == name).unwrap().clone()
    };
    let (store, prefix) = (
        named("settings", "suggestions.store"),
        named("settings", "suggestions.collection_prefix"),
    );
    assert_eq!(
        (&store["value"], &store["origin"]),
        (&"firestore".into(), &"PAWL_SUGGESTIONS".into())
    );
    assert_eq!(
        (&prefix["value"], &prefix["origin"]),
        (&"test_".into(), &"FIRESTORE_COLLECTION_PREFIX".into())
    );
    let check = named("checks", "suggestions");
    let detail = check["detail"].as_str().unwrap();
    assert_eq!(check["state"], "passed");
    assert!(
        detail.starts_with(
            "those of ada@example.org in Firestore, project acme, collections test_…, emulator at"
        ),
        "{detail}"
    );
    // By the file as well.
    rig.file(
        "pawl.toml",
        "[suggestions]\nstore = \"firestore\"\ncollection_prefix = \"file_\"\n",
    );
    let mut command = rig.command(&["doctor"]);
    command.current_dir(rig.database.folder());
    command
        .env_remove("PAWL_SUGGESTIONS")
        .env_remove("FIRESTORE_COLLECTION_PREFIX");
    let said: Said = command.output().unwrap().into();
    let said = said.exits(0);
    assert!(said.out.contains("collections file_…"), "{}", said.out);
    // And where it does not answer.
    let variables = rig.database.firestore.take().unwrap().variables();
    let mut command = rig.command(&["doctor"]);
    let said: Said = command.envs(variables).output().unwrap().into();
    let said = said.exits(3);
    assert!(
        said.out
            .contains("suggestions: failed, Firestore cannot be reached: check the network"),
        "{}",
        said.out
    );
}

async fn what_cannot_be_used_is_usage_and_what_fails_is_not(database: TestDatabase) {
    let mut rig = Rig { database };
    rig.say(&["user", "add", "ada@example.org"]).exits(0);
    let refused = |variable: &str, value: &str, why: &str| {
        let mut command = rig.command(&["review", "list"]);
        let said: Said = command.env(variable, value).output().unwrap().into();
        let said = said.exits(2);
        assert!(said.err.contains(why), "{}", said.err);
    };
    refused(
        "PAWL_SUGGESTIONS",
        "mongo",
        "PAWL_SUGGESTIONS is not `database` or `firestore`",
    );
    refused(
        "GOOGLE_CLOUD_PROJECT",
        "",
        "suggestions in Firestore need GOOGLE_CLOUD_PROJECT (suggestions.store = firestore)",
    );
    let variables = rig.database.firestore.take().unwrap().variables();
    for words in [
        &["review", "list"][..],
        &["draft"],
        &["mine"],
        &["run", "approved", "--target", "echo"],
    ] {
        let mut command = rig.command(words);
        let said: Said = command.envs(variables.clone()).output().unwrap().into();
        let said = said.exits(3);
        assert!(
            said.err.contains("Firestore cannot be reached"),
            "{words:?}: {}",
            said.err
        );
    }
}
