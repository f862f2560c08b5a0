//! Long-lived processes.

use std::collections::HashSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use futures::future::join_all;
use pawl_model::TargetFailureKind::{Broken, Malformed, Timeout};
use pawl_model::{TargetFailure, TargetRequest};
use pawl_providers::{CommandContract, Target, TargetSettings};
use serde_json::{Value, json};

use crate::processes::is_gone_soon;
use crate::{assert_failure, request, settings, target};

/// Answers each request with its process number, except those that ask for something else.
const AGENT: &str = r#"
while read -r line; do
    case "$line" in
        *'"input":"crash"'*) echo 'out of memory' >&2; exit 7 ;;
        *'"input":"half"'*) printf 'half a line'; exit 0 ;;
        *'"input":"shut"'*) exec >&-; sleep 600 ;;
        *'"input":"hang"'*) echo 'loading' >&2; sleep 600 ;;
        *'"input":"two"'*) printf 'one\ntwo\n' ;;
        *'"input":"bytes"'*) printf '\377\n' ;;
        *'"input":"endless"'*) yes | tr -d '\n' ;;
        *'"input":"string"'*) printf '%s\n' '"a \"text\"\nof two lines"' ;;
        *'"input":"object"'*) echo '{"id":"case-1","output":[1],"tokens":3}' ;;
        *'"input":"other"'*) echo '{"id":"case-2","output":"for another"}' ;;
        *'"input":"cost"'*) echo '{"output":1,"cost_usd":-1}' ;;
        *'"input":"noise"'*) yes noise | head -c 200000 >&2; echo quiet again ;;
        *'"input":"leave"'*) echo bye; exit 0 ;;
        *) echo "$$" ;;
    esac
done
echo ended > ended.$$
"#;

struct Pool {
    target: Target,
    directory: tempfile::TempDir,
}

impl Pool {
    fn new(processes: usize, timeout: Duration) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("agent.sh"), AGENT).unwrap();
        let settings = TargetSettings {
            timeout,
            concurrency: NonZeroUsize::new(processes).unwrap(),
            contract: CommandContract::Persistent,
            directory: Some(directory.path().to_owned()),
            ..settings()
        };
        let target = target("exec:sh agent.sh", &settings);
        Self { target, directory }
    }

    fn patient(processes: usize) -> Self {
        Self::new(processes, settings().timeout)
    }

    async fn ask(&self, input: &str) -> Result<Value, TargetFailure> {
        Ok(self.target.call(&request(input)).await?.output.output)
    }

    /// The number of the process that answers next.
    async fn pid(&self) -> u32 {
        self.ask("pid").await.unwrap().as_str().unwrap().parse().unwrap()
    }
}

#[tokio::test]
async fn one_process_answers_case_after_case() {
    let pool = Pool::patient(1);
    let pid = pool.pid().await;
    assert_eq!(
        pool.ask("string").await.unwrap(),
        json!("a \"text\"\nof two lines")
    );
    let reply = pool.target.call(&request("object")).await.unwrap();
    assert_eq!(
        (reply.output.output, reply.output.tokens),
        (json!([1]), Some(json!(3)))
    );
    assert_eq!(pool.ask("noise").await.unwrap(), json!("quiet again"));
    assert_failure(pool.ask("cost").await, Malformed, "cost_usd");
    assert_eq!(pool.pid().await, pid);
}

#[tokio::test]
async fn a_failure_costs_one_case_and_one_process() {
    let pool = Pool::patient(1);
    for (input, kind, part) in [
        (
            "crash",
            Broken,
            "exited with code 7 before it answered with a whole line: out of memory",
        ),
        (
            "half",
            Broken,
            "exited with code 0 before it answered with a whole line",
        ),
        ("shut", Broken, "closed its standard output"),
        ("two", Malformed, "more than one line"),
        ("bytes", Malformed, "not UTF-8"),
        ("endless", Malformed, "longer than 16 MiB"),
        (
            "other",
            Malformed,
            "asked for case `case-1` and answered for `case-2`",
        ),
    ] {
        let before = pool.pid().await;
        assert_failure(pool.ask(input).await, kind, part);
        assert_ne!(pool.pid().await, before, "{input}");
        assert!(is_gone_soon(before).await, "{input}");
    }
}

#[tokio::test]
async fn a_process_that_left_after_its_answer_is_replaced_unseen() {
    let pool = Pool::patient(1);
    let before = pool.pid().await;
    assert_eq!(pool.ask("leave").await.unwrap(), json!("bye"));
    assert!(is_gone_soon(before).await);
    assert_ne!(pool.pid().await, before);
}

#[tokio::test]
async fn a_timeout_kills_the_process() {
    let pool = Pool::new(1, Duration::from_secs(2));
    let before = pool.pid().await;
    assert_failure(pool.ask("hang").await, Timeout, "no answer within 2 s: loading");
    assert!(is_gone_soon(before).await);
    assert_ne!(pool.pid().await, before);
}

#[tokio::test]
async fn dropping_a_call_kills_the_process() {
    let pool = Pool::patient(1);
    let before = pool.pid().await;
    assert!(
        tokio::time::timeout(Duration::from_millis(50), pool.ask("hang"))
            .await
            .is_err()
    );
    assert!(is_gone_soon(before).await);
    assert_ne!(pool.pid().await, before);
}

#[tokio::test]
async fn there_are_never_more_processes_than_allowed() {
    let pool = Pool::patient(3);
    let answers = join_all((0..100).map(|_| pool.pid())).await;
    let pids: HashSet<_> = answers.into_iter().collect();
    assert!((1..=3).contains(&pids.len()), "{pids:?}");
}

#[tokio::test]
async fn concurrent_cases_get_their_own_answers() {
    let settings = TargetSettings {
        contract: CommandContract::Persistent,
        ..settings()
    };
    let target = target("exec:cat", &settings);
    let requests: Vec<TargetRequest> = (0..200).map(request).collect();
    let replies = join_all(requests.iter().map(|request| target.call(request))).await;
    for (request, reply) in requests.iter().zip(replies) {
        let answer = reply.unwrap().output.output;
        assert_eq!(answer, json!(serde_json::to_string(request).unwrap()));
    }
}

#[tokio::test]
async fn more_than_a_pipe_holds_goes_both_ways() {
    let settings = TargetSettings {
        contract: CommandContract::Persistent,
        ..settings()
    };
    let target = target("exec:cat", &settings);
    for _ in 0..2 {
        let reply = target.call(&request("x".repeat(1_000_000))).await.unwrap();
        assert!(reply.output.output.as_str().unwrap().len() > 1_000_000);
    }
}

fn ended(directory: &Path, pid: u32) -> bool {
    directory.join(format!("ended.{pid}")).exists()
}

#[tokio::test]
async fn closing_lets_processes_end_by_themselves() {
    let pool = Pool::patient(2);
    let pid = pool.pid().await;
    pool.target.close().await;
    assert!(ended(pool.directory.path(), pid));
    assert!(is_gone_soon(pid).await);
}

#[tokio::test]
async fn dropping_the_target_kills_them() {
    let pool = Pool::patient(2);
    let pid = pool.pid().await;
    drop(pool.target);
    assert!(is_gone_soon(pid).await);
}
