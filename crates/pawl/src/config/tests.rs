use std::collections::HashMap;
use std::path::Path;

use pawl_engine::auth::ExposeSecret as _;

use super::*;

/// The settings of these variables, this file and these flags.
fn settings(
    variables: &[(&str, &str)],
    file: &str,
    database: &DatabaseArgs,
    listen: Option<&str>,
) -> anyhow::Result<Settings> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    let environment = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let file = File::parse(file, Path::new("pawl.toml"))?;
    Settings::of(
        &Environment(&environment),
        file,
        database,
        listen.map(|text| text.parse().unwrap()),
    )
}

const NO_FLAGS: DatabaseArgs = DatabaseArgs {
    data: None,
    database_url: None,
};

const FILE: &str = "\
data = '/from/file'
[server]
listen = '0.0.0.0:1'
body_limit = 1000
request_timeout_s = 5
[auth]
sign_up = 'closed'
jwt_secret = 'of the file'
";

#[test]
fn flags_win_over_the_environment_over_the_file_over_defaults() {
    let environment = [
        ("HOME", "/home/x"),
        ("PAWL_LISTEN", "0.0.0.0:2"),
        ("PAWL_JWT_SECRET", "of the variable"),
    ];
    let flags = DatabaseArgs {
        data: Some("/from/flag".into()),
        database_url: None,
    };
    let all = settings(&environment, FILE, &flags, Some("0.0.0.0:3")).unwrap();
    assert_eq!((all.listen.value.port(), all.listen.origin), (3, Origin::Flag));
    assert_eq!(
        (all.data.value.as_deref(), all.data.origin),
        (Some(Path::new("/from/flag")), Origin::Flag)
    );
    let without_flags = settings(&environment, FILE, &NO_FLAGS, None).unwrap();
    let variable = Origin::Environment("PAWL_LISTEN");
    assert_eq!(
        (without_flags.listen.value.port(), without_flags.listen.origin),
        (2, variable)
    );
    assert_eq!(
        without_flags.jwt_secret.value.unwrap().expose_secret(),
        "of the variable"
    );
    let file_alone = settings(&[], FILE, &NO_FLAGS, None).unwrap();
    assert_eq!(
        (file_alone.listen.value.port(), file_alone.listen.origin),
        (1, Origin::File)
    );
    assert_eq!(
        (file_alone.body_limit.value, file_alone.sign_up.value),
        (1_000, SignUp::Closed)
    );
    assert_eq!(file_alone.request_timeout.value, Duration::from_secs(5));
    assert_eq!(file_alone.jwt_secret.origin, Origin::File);
    let nothing = settings(&[("HOME", "/home/x")], "", &NO_FLAGS, None).unwrap();
    assert_eq!(
        (nothing.listen.value, nothing.listen.origin),
        (LISTEN, Origin::Default)
    );
    assert_eq!(
        nothing.data_folder().unwrap(),
        Path::new("/home/x/.local/share/pawl")
    );
    assert_eq!(nothing.server(), ServerSettings::default());
    assert!(settings(&[], "", &NO_FLAGS, None).unwrap().data_folder().is_err());
}

#[test]
fn a_flag_that_the_environment_filled_is_told_apart() {
    let flags = DatabaseArgs {
        data: Some("/d".into()),
        database_url: Some("sqlite:/x".to_owned()),
    };
    let environment = [("PAWL_DATA_DIR", "/d"), ("PAWL_DATABASE_URL", "sqlite:/y")];
    let settings = settings(&environment, "", &flags, None).unwrap();
    assert_eq!(settings.data.origin, Origin::Environment("PAWL_DATA_DIR"));
    assert_eq!(settings.database_url.origin, Origin::Flag);
}

#[test]
fn the_usual_name_of_a_database_url_counts_behind_ours() {
    let usual = ("DATABASE_URL", "postgres://a/b");
    let found = settings(&[usual], "database_url = 'sqlite:/x'", &NO_FLAGS, None)
        .unwrap()
        .database_url;
    assert_eq!(
        (found.value.as_deref(), found.origin),
        (Some(usual.1), Origin::Environment(usual.0))
    );
    let empty = settings(&[("DATABASE_URL", "")], "", &NO_FLAGS, None)
        .unwrap()
        .database_url;
    assert_eq!((empty.value, empty.origin), (None, Origin::Default));
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    for (file, place) in [
        ("data = '/x'\nport = 1\n", "pawl.toml:2: unknown field `port`"),
        (
            "[server]\n\nlisten = 'here'\n",
            "pawl.toml:3: listen is not an address and port",
        ),
        (
            "[server]\nconcurrency = 0\n",
            "pawl.toml:2: invalid value: integer `0`",
        ),
        (
            "[auth]\nsign_up = 'maybe'\n",
            "pawl.toml:2: unknown variant `maybe`",
        ),
        ("data = \n", "pawl.toml:1: "),
    ] {
        let error = settings(&[], file, &NO_FLAGS, None).unwrap_err().to_string();
        assert!(error.starts_with(place), "{error}");
    }
    let error = settings(&[("PAWL_LISTEN", "8787")], "", &NO_FLAGS, None)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "PAWL_LISTEN is not an address and port, such as 127.0.0.1:8787"
    );
    let error = settings(&[("PAWL_SIGN_UP", "x")], "", &NO_FLAGS, None)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "PAWL_SIGN_UP is not `open` or `closed`");
}

#[test]
fn an_address_of_the_server_is_one() {
    let url = |url| settings(&[("PAWL_URL", url)], "", &NO_FLAGS, None).unwrap();
    let said = url("https://pawl.example.org/");
    assert!(said.check_url().is_ok());
    assert_eq!(said.server().url.as_deref(), Some("https://pawl.example.org"));
    let refused = url("pawl.example.org").check_url().unwrap_err().to_string();
    assert!(
        refused.starts_with("pawl.example.org (PAWL_URL) is no address"),
        "{refused}"
    );
    assert_eq!(settings(&[], "", &NO_FLAGS, None).unwrap().server().url, None);
}

#[test]
fn targets_are_named_by_a_variable_or_in_the_file() {
    let of = |variables: &[(&str, &str)], file: &str| settings(variables, file, &NO_FLAGS, None);
    let variable = [(
        "PAWL_EVOLVE_TARGETS",
        "support=exec:./agent.py --fast, shop=https://shop.example/answer?a=b",
    )];
    let file = "[evolve]\nsuites = '/srv/suites'\ntargets = {echo = 'echo'}\n";
    let found = of(&variable, file).unwrap();
    assert_eq!(
        found.evolve_targets.origin,
        Origin::Environment("PAWL_EVOLVE_TARGETS")
    );
    let targets = found.evolve_targets.value.unwrap();
    assert_eq!(targets.to_string(), "shop, support");
    assert_eq!(targets.0["support"], "exec:./agent.py --fast");
    assert_eq!(targets.0["shop"], "https://shop.example/answer?a=b");
    assert_eq!(
        found.evolve_suites.value.as_deref(),
        Some(Path::new("/srv/suites"))
    );
    let found = of(&[], file).unwrap();
    assert_eq!(found.evolve_targets.value.unwrap().0["echo"], "echo");
    for wrong in ["exec:./agent.py", "a=", "a=echo, a=echo"] {
        let error = of(&[("PAWL_EVOLVE_TARGETS", wrong)], "").unwrap_err().to_string();
        assert!(error.ends_with("(PAWL_EVOLVE_TARGETS)"), "{error}");
    }
}
