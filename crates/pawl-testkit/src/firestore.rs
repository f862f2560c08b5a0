//! A Firestore for tests.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// How long it may take to start.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An emulator of Firestore in a process of its own, which ends with it. What it serialises and checks that the emulator
/// does not stands in `firestore/server.cjs`.
#[derive(Debug)]
pub struct FirestoreEmulator {
    /// Where it listens: host and port, as in `FIRESTORE_EMULATOR_HOST`.
    pub host: String,
    _process: Child,
}

impl FirestoreEmulator {
    /// What collections begin with, as [`FirestoreEmulator::variables`] have it.
    pub const PREFIX: &str = "test_";

    /// The variables of the environment by which suggestions are found in it.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PAWL_SUGGESTIONS", "firestore".to_owned()),
            ("GOOGLE_CLOUD_PROJECT", "acme".to_owned()),
            ("FIRESTORE_COLLECTION_PREFIX", Self::PREFIX.to_owned()),
            ("FIRESTORE_EMULATOR_HOST", self.host.clone()),
        ]
    }

    /// The store of suggestions that it is for an engine.
    ///
    /// # Panics
    /// When the engine does not take it for one.
    #[cfg(feature = "server")]
    #[must_use]
    pub fn suggestions(&self) -> pawl_engine::SuggestionStore {
        let now = || time::OffsetDateTime::UNIX_EPOCH;
        let models =
            pawl_engine::ModelSettings::from_variables(|_| None, now).expect("no model is configured");
        let store = pawl_engine::SuggestionStore::in_firestore(|name| self.variable(name), &models);
        store.expect("an emulator needs no credentials")
    }

    /// The value of one of these variables.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        let found = self.variables().into_iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    /// Starts an empty one.
    ///
    /// # Panics
    /// When it does not start: `scripts/test` installs it.
    pub async fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("firestore");
        assert!(
            folder.join("node_modules").exists(),
            "the Firestore emulator is not installed: run scripts/test, or `npm install` in {}",
            folder.display()
        );
        let mut process = Command::new("node")
            .arg(folder.join("server.cjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node starts");
        let output = process.stdout.take().expect("its output is read");
        let mut lines = BufReader::new(output).lines();
        let host = tokio::time::timeout(TIMEOUT, lines.next_line())
            .await
            .expect("it starts in time")
            .expect("its output is text")
            .expect("it prints its address");
        Self {
            host,
            _process: process,
        }
    }
}
