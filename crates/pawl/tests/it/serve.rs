//! `pawl serve` and `pawl doctor`, as processes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use pawl_testkit::{TestDatabase, on_both_engines};
use serde_json::Value;

use crate::rig::{Rig, Said, pawl};

on_both_engines!(
    a_server_answers_and_stops_when_it_is_told_to,
    a_port_that_is_taken_is_a_usage_error,
    the_doctor_looks_at_the_database
);

/// A server that says that it answers, and where.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) address: String,
    announced: String,
}

impl Serving {
    pub(crate) fn new(rig: &Rig) -> Self {
        let mut command = rig.command(&["serve", "--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut announced = String::new();
        // Byte by byte: what comes later is read by whoever waits for the end.
        let stderr = child.stderr.as_mut().unwrap();
        BufReader::with_capacity(1, stderr)
            .read_line(&mut announced)
            .unwrap();
        let address = announced
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        let address = address
            .unwrap_or_else(|| panic!("no address in {announced}"))
            .to_owned();
        Self {
            child,
            address,
            announced,
        }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: pawl\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends SIGTERM and waits for the end.
    pub(crate) fn stop(self) -> Said {
        let id = self.child.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
        self.child.wait_with_output().unwrap().into()
    }
}

async fn a_server_answers_and_stops_when_it_is_told_to(database: TestDatabase) {
    let rig = Rig { database };
    let serving = Serving::new(&rig);
    assert!(serving.announced.contains("pawl keys"), "{}", serving.announced);
    assert!(
        !serving.announced.contains("for-tests-only"),
        "no password: {}",
        serving.announced
    );
    assert!(serving.get("/readyz").starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(
        serving
            .get("/api/runs?token=secret-in-query")
            .starts_with("HTTP/1.1 401 ")
    );
    let said = serving.stop().exits(0);
    assert!(
        said.err.contains("route=\"/api/runs\" status=401"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("secret-in-query"), "{}", said.err);
}

async fn a_port_that_is_taken_is_a_usage_error(database: TestDatabase) {
    let rig = Rig { database };
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = rig.say(&["serve", "--listen", &address]).exits(2);
    assert!(
        said.err.contains("another program listens there already"),
        "{}",
        said.err
    );
    assert!(said.err.contains(&address), "{}", said.err);
}

async fn the_doctor_looks_at_the_database(database: TestDatabase) {
    let rig = Rig { database };
    let mut command = rig.command(&["doctor", "--json"]);
    let secret = "a secret that nobody may see in any output";
    command
        .env("PAWL_JWT_SECRET", secret)
        .env("OPENAI_API_KEY", secret);
    let said: Said = command.output().unwrap().into();
    let said = said.exits(0);
    assert!(
        !said.out.contains(secret) && !said.out.contains("for-tests-only"),
        "{}",
        said.out
    );
    let report = said.json();
    let setting = |name: &str| {
        let settings = report["settings"].as_array().unwrap();
        settings.iter().find(|setting| setting["name"] == name).unwrap()["origin"].clone()
    };
    assert_eq!(setting("database_url"), "PAWL_DATABASE_URL");
    assert_eq!(setting("auth.jwt_secret"), "PAWL_JWT_SECRET");
    assert_eq!(setting("server.listen"), "default");
    assert!(said.out.contains("key ***"), "{}", said.out);
    let checks = report["checks"].as_array().unwrap();
    let failed = |check: &Value| check["state"] == "failed";
    assert!(checks.len() >= 3 && !checks.iter().any(failed), "{checks:?}");
}

#[test]
fn the_doctor_makes_no_database_and_says_what_is_wrong_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let said: Said = pawl()
        .args(["doctor", "--data"])
        .arg(&data)
        .output()
        .unwrap()
        .into();
    assert!(said.exits(0).out.contains("there is none at"));
    assert!(!data.exists());
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("pawl.db"), "this is no database").unwrap();
    let said: Said = pawl()
        .args(["doctor", "--data"])
        .arg(&data)
        .output()
        .unwrap()
        .into();
    assert!(
        said.exits(2)
            .out
            .contains("database: failed, cannot open the database file")
    );
    std::fs::write(folder.path().join("pawl.toml"), "[server]\nport = 1\n").unwrap();
    let said: Said = pawl()
        .arg("doctor")
        .current_dir(folder.path())
        .output()
        .unwrap()
        .into();
    let said = said.exits(2);
    assert!(
        said.err.contains("pawl.toml:2: unknown field `port`"),
        "{}",
        said.err
    );
}
