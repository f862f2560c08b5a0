//! The tour of the README: every command as it stands there, in their order, in one shell.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::rig::{Said, pawl};

/// Where the README says that the server is.
const ADDRESS: &str = "127.0.0.1:8787";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command of a document, and the exit code that it says: 0 unless a comment behind it says another.
struct Step {
    command: String,
    exit_code: i32,
}

/// The commands of a section's blocks of code.
fn steps(document: &str, section: &str) -> Vec<Step> {
    let (_, section) = document.split_once(section).unwrap();
    let section = section.split("\n## ").next().unwrap_or_default();
    let code = section.lines().filter_map(|line| line.strip_prefix("    "));
    let code = code.collect::<Vec<_>>().join("\n").replace("\\\n", "");
    let steps = code.lines().map(|line| {
        let (command, comment) = line.split_once("  # ").unwrap_or((line, ""));
        let exit_code = comment.trim().strip_prefix("exit code ");
        Step {
            command: command.trim_end().to_owned(),
            exit_code: exit_code.map_or(0, |code| code.parse().unwrap()),
        }
    });
    steps.collect()
}

/// A script of the steps, which ends with the first that goes otherwise than it should.
fn script(steps: &[Step]) -> String {
    let mut script = "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n".to_owned();
    for Step { command, exit_code } in steps {
        let quoted = command.replace('\'', r"'\''");
        _ = writeln!(script, "echo '$ {quoted}'\n{command}");
        if command.ends_with('&') {
            _ = writeln!(
                script,
                "until curl --silent --fail http://{ADDRESS}/readyz; do sleep 0.1; done"
            );
        } else {
            _ = writeln!(
                script,
                "code=$?; [ $code = {exit_code} ] || {{ echo \"exit code $code\"; exit 9; }}"
            );
        }
    }
    script
}

#[test]
fn the_tour_of_the_readme_goes_as_it_says() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut steps = steps(&readme, "\n## Five minutes\n");
    let installing = steps.remove(0);
    assert_eq!(installing.command, "cargo install --path crates/pawl");
    assert!(steps.len() > 10 && steps.iter().any(|step| step.exit_code == 1));

    // The one difference to a reader's: a port that is free, since that of the README may be taken.
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();
    let script = script(&steps).replace(ADDRESS, &free);
    let home = tempfile::tempdir().unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_pawl")).parent().unwrap();
    let path = [folder.to_str().unwrap(), &std::env::var("PATH").unwrap()].join(":");
    let mut shell = Command::new("bash");
    // What the rig keeps from the binary is kept from the shell too.
    let forgotten = pawl();
    for (name, value) in forgotten.get_envs() {
        assert!(value.is_none(), "{}", name.display());
        shell.env_remove(name);
    }
    let said: Said = shell
        .args(["-c", &script])
        .current_dir(root())
        .env("HOME", home.path())
        .env_remove("XDG_DATA_HOME")
        .env("PATH", path)
        .env("PAWL_LISTEN", &free)
        .output()
        .unwrap()
        .into();
    let said = said.exits(0);
    for promised in [
        "would have caught 4 of 4 · false alarms 0 of 10",
        "is approved",
        "✓ gate passed",
    ] {
        assert!(said.out.contains(promised), "{promised} is not in\n{}", said.out);
    }
}

#[test]
fn what_was_recorded_ends_as_the_readme_says() {
    let mut run = pawl();
    let home = tempfile::tempdir().unwrap();
    let words = [
        "run",
        "examples/refunds/suite.yaml",
        "--outputs",
        "examples/refunds/recorded.jsonl",
    ];
    let output = run
        .args(words)
        .current_dir(root())
        .env("PAWL_DATA_DIR", home.path())
        .output();
    Said::from(output.unwrap()).exits(3);
}
