//! The real binary over a database of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pawl_testkit::{Engine, FirestoreEmulator, TestDatabase};
use serde_json::Value;

pub(crate) struct Rig {
    pub(crate) database: TestDatabase,
}

/// What a finished command said.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error} in {}\n{}", self.out, self.err))
    }

    /// Asserts the exit code, showing what was said where it is another one.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.out,
            self.err
        );
        self
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

/// The binary, whatever the environment of the tests says.
pub(crate) fn pawl() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pawl"));
    for variable in [
        "DATABASE_URL",
        "PAWL_DATABASE_URL",
        "PAWL_DATA_DIR",
        "PAWL_USER",
        "PAWL_URL",
        "INGESTION_API_SECRET",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "GEMINI_API_KEY",
        "GEMINI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "OLLAMA_HOST",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_PROJECT",
        "PAWL_SUGGESTIONS",
        "FIRESTORE_COLLECTION_PREFIX",
        "FIRESTORE_EMULATOR_HOST",
        "NO_COLOR",
        "CLICOLOR_FORCE",
    ] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null());
    command
}

impl Rig {
    pub(crate) async fn new(engine: Engine) -> Self {
        let database = TestDatabase::new(engine).await;
        Self { database }
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.database.folder().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A suite of `count` cases, a checks file that wants `ok` in the output, and the words that run them.
    pub(crate) fn suite(&self, count: usize) -> [String; 3] {
        let cases: String = (0..count)
            .map(|n| format!("{{\"id\": \"case-{n}\", \"input\": \"ok {n}\"}}\n"))
            .collect();
        let checks = self.file("checks.yaml", "- type: contains\n  value: ok\n");
        let suite = self.file("cases.jsonl", &cases);
        [shown(&suite), "--checks".to_owned(), shown(&checks)]
    }

    /// `pawl WORDS…` with this database.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = pawl();
        command.args(words).env("PAWL_DATABASE_URL", self.database.url());
        let firestore = self.database.firestore.iter();
        command.envs(firestore.flat_map(FirestoreEmulator::variables));
        command
    }

    pub(crate) fn say(&self, words: &[&str]) -> Said {
        self.command(words).output().unwrap().into()
    }

    /// `pawl run SUITE… WORDS…`.
    pub(crate) fn run(&self, suite: &[String], words: &[&str]) -> Said {
        let suite: Vec<&str> = suite.iter().map(String::as_str).collect();
        self.say(&[&["run"], suite.as_slice(), words].concat())
    }
}

pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The bundled inputs.
pub(crate) fn stories() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stories/inputs.json").to_owned()
}

/// The bundled agent as a target.
pub(crate) fn story_agent(flags: &str) -> String {
    format!("exec:'{}' story-agent {flags}", env!("CARGO_BIN_EXE_pawl"))
}
