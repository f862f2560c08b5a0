//! docs/CONFIGURATION.md, against what the binary reads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pawl_testkit::Engine;
use serde_json::Value;

use crate::rig::{Rig, shown};

/// Where variables of the environment are named, beside the flags that are filled from one.
const NAMED_IN: [&str; 5] = [
    "pawl/src/config.rs",
    "pawl/src/commands/mod.rs",
    "pawl/src/commands/review.rs",
    "pawl-providers/src/model/settings.rs",
    "pawl-providers/src/firestore/settings.rs",
];

/// Read by libraries, or by a name that stands in one.
const OF_LIBRARIES: [&str; 2] = ["NO_COLOR", "RUST_LOG"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page() -> String {
    std::fs::read_to_string(crates().join("../docs/CONFIGURATION.md")).unwrap()
}

/// What stands between every second pair of these, if it is the name of a variable.
fn names(text: &str, quote: char) -> BTreeSet<String> {
    let quoted = text.split(quote).skip(1).step_by(2);
    let is_name = |word: &&str| {
        word.len() > 3
            && word
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    quoted.filter(is_name).map(str::to_owned).collect()
}

/// The literals of a source that are names of variables.
fn literals(code: &str) -> BTreeSet<String> {
    code.lines().flat_map(|line| names(line, '"')).collect()
}

/// Without its tests, and without comments, which have quotes of their own.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .to_owned();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_variable_is_documented_and_no_other() {
    let mut read: BTreeSet<String> = OF_LIBRARIES.map(str::to_owned).into();
    for file in NAMED_IN {
        read.extend(literals(&code(&crates().join(file))));
    }
    for file in sources(&crates().join("pawl/src/cli"))
        .into_iter()
        .chain([crates().join("pawl/src/cli.rs")])
    {
        for after in code(&file).split("env = \"").skip(1) {
            read.extend(after.split('"').next().map(str::to_owned));
        }
    }
    let page = page();
    let (settings, of_clients) = page.split_once("## What clients are given").unwrap();
    assert!(of_clients.contains("SUPABASE_URL"));
    let tables = settings.lines().filter(|line| line.starts_with('|'));
    let documented = tables.flat_map(|row| names(row, '`')).collect::<BTreeSet<_>>();
    assert_eq!(documented, read, "documented, and read");
}

/// Else the test above would not see it.
#[test]
fn variables_are_read_where_they_are_looked_for() {
    for folder in [
        "pawl",
        "pawl-engine",
        "pawl-evolve",
        "pawl-model",
        "pawl-providers",
        "pawl-server",
    ] {
        for file in sources(&crates().join(folder).join("src")) {
            let named = NAMED_IN.iter().any(|known| file.ends_with(known)) || file.ends_with("logging.rs");
            assert!(named || !code(&file).contains("env::var"), "{}", file.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_the_documentation_sets_every_setting() {
    let page = page();
    let (_, toml) = page.split_once("```toml\n").unwrap();
    let rig = Rig::new(Engine::Sqlite).await;
    let file = rig.file("all.toml", toml.split("```").next().unwrap());
    let mut doctor = crate::rig::pawl();
    let output = doctor
        .args(["doctor", "--json"])
        .env("PAWL_CONFIG", shown(&file))
        .output()
        .unwrap();
    // Its database cannot be reached.
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let settings = report["settings"].as_array().unwrap().iter();
    let settings: Vec<&Value> = settings
        .filter(|one| !one["name"].as_str().unwrap().starts_with("models."))
        .collect();
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | ")?.0.into());
    let documented: BTreeSet<&str> = rows
        .filter(|name: &&str| !name.contains(char::is_uppercase) && *name != "pawl.toml")
        .collect();
    let known: BTreeSet<&str> = settings.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(documented, known);
    for setting in settings {
        assert_eq!(setting["origin"], "pawl.toml", "{setting}");
    }
}

/// Containers and units are given variables that are read, and words that are commands.
#[test]
fn what_is_deployed_is_what_the_binary_knows() {
    let page = page();
    let known = page.lines().flat_map(|line| names(line, '`'));
    let known: BTreeSet<String> = known
        .chain(["PAWL_APP_PASSWORD", "PAWL_PORT"].map(str::to_owned))
        .collect();
    let mut commands = 0;
    for file in ["compose.yaml", "Dockerfile", "pawl.service", "example.env"] {
        let text = std::fs::read_to_string(crates().join("../deploy").join(file)).unwrap();
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        for name in words.filter(|word| word.starts_with("PAWL_")) {
            assert!(known.contains(name), "{name} of {file} is read by nobody");
        }
        for line in text.lines().map(str::trim) {
            let list = ["command: ", "CMD "]
                .iter()
                .find_map(|key| line.strip_prefix(key));
            let words: Vec<String> = match (list, line.strip_prefix("ExecStart=/usr/local/bin/pawl ")) {
                (Some(list), _) => serde_json::from_str(list).unwrap(),
                (None, Some(words)) => words.split(' ').map(str::to_owned).collect(),
                (None, None) => continue,
            };
            commands += 1;
            let said = crate::rig::pawl().args(&words).arg("--help").output().unwrap();
            assert!(said.status.success(), "{words:?} of {file}: {said:?}");
        }
    }
    assert_eq!(commands, 5);
}
