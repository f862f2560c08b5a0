//! One process per case.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use pawl_model::TargetFailureKind::{Broken, Malformed, Timeout};
use pawl_providers::{Target, TargetReply, TargetSettings};
use serde_json::json;

use crate::processes::{is_gone_soon, is_running, pid_in};
use crate::{assert_failure, request, settings, target};

async fn call(spec: &str) -> Result<TargetReply, pawl_model::TargetFailure> {
    target(spec, &settings()).call(&request("hello")).await
}

#[tokio::test]
async fn the_request_is_one_line_and_then_the_input_ends() {
    let reply = call("exec:cat").await.unwrap();
    assert_eq!(
        reply.output.output,
        json!(r#"{"id":"case-1","input":"hello","vars":{"topic":"tea"},"trial":1,"prompt":null}"#)
    );
    assert!(reply.latency > Duration::ZERO);
    assert_eq!(call("exec:wc -l").await.unwrap().output.output, json!("1"));
}

#[tokio::test]
async fn text_and_the_object_form_are_read() {
    let reply = call(r#"exec:printf '{"output":{"title":"x"},"cost_usd":0.25}'"#)
        .await
        .unwrap();
    assert_eq!(
        (reply.output.output, reply.output.cost_usd),
        (json!({"title": "x"}), Some(0.25))
    );
    let reply = call(r#"exec:printf 'two\nlines\n'"#).await.unwrap();
    assert_eq!(reply.output.output, json!("two\nlines"));
    assert_failure(
        call(r#"exec:printf '{"output":1,"cost_usd":-1}'"#).await,
        Malformed,
        "cost_usd",
    );
}

#[tokio::test]
async fn a_command_runs_in_its_directory() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("answer"), "from the file").unwrap();
    let here = TargetSettings {
        directory: Some(directory.path().to_owned()),
        ..settings()
    };
    let reply = target("exec:cat answer", &here).call(&request("")).await.unwrap();
    assert_eq!(reply.output.output, json!("from the file"));
    let nowhere = TargetSettings {
        directory: Some(directory.path().join("nowhere")),
        ..settings()
    };
    assert_failure(
        target("exec:cat answer", &nowhere).call(&request("")).await,
        Broken,
        "no such directory",
    );
}

#[tokio::test]
async fn a_program_that_cannot_start_is_named() {
    assert_failure(
        call("exec:no-such-program-here --flag").await,
        Broken,
        "cannot start `no-such-program-here`: not found",
    );
    assert_failure(call("exec:/etc/passwd").await, Broken, "not executable");
}

#[tokio::test]
async fn a_bad_end_is_a_failure_whatever_was_printed() {
    assert_failure(
        call(r#"exec:sh -c 'echo fine; printf "\033[31mwhy\007" >&2; exit 3'"#).await,
        Broken,
        "`sh` exited with code 3: why",
    );
    assert_failure(
        call("exec:sh -c 'kill -9 $$'").await,
        Broken,
        "`sh` was ended by signal 9",
    );
}

#[tokio::test]
async fn only_the_end_of_the_errors_is_kept() {
    let failure = call("exec:sh -c 'yes chatter | head -c 1000000 >&2; echo the reason >&2; exit 1'")
        .await
        .unwrap_err();
    assert!(failure.message.ends_with("chatter\nthe reason"), "{failure}");
    assert!(failure.message.len() < 2_200);
}

#[tokio::test]
async fn input_that_nobody_reads_is_no_failure() {
    let target = target("exec:echo fine", &settings());
    // Far more than a pipe holds.
    let reply = target.call(&request("x".repeat(1_000_000))).await.unwrap();
    assert_eq!(reply.output.output, json!("fine"));
}

#[tokio::test]
async fn much_in_and_much_out_do_not_block_each_other() {
    let reply = target("exec:cat", &settings())
        .call(&request("x".repeat(4_000_000)))
        .await
        .unwrap();
    assert!(reply.output.output.as_str().unwrap().len() > 4_000_000);
}

#[tokio::test]
async fn answers_have_a_bound() {
    assert_failure(call("exec:yes").await, Malformed, "longer than 16 MiB");
    assert_failure(
        call("exec:head -c 16777217 /dev/zero").await,
        Malformed,
        "longer than 16 MiB",
    );
    let longest = call("exec:head -c 16777216 /dev/zero").await.unwrap();
    assert_eq!(longest.output.output.as_str().unwrap().len(), 16 * 1024 * 1024);
}

#[tokio::test]
async fn answers_are_utf_8() {
    assert_failure(
        call(r"exec:printf 'ab\377'").await,
        Malformed,
        "not UTF-8: the byte at offset 2",
    );
}

/// A shell that writes the number of a sleeping child to `pid` and waits for it.
const SLEEPER: &str = "exec:sh -c 'echo connecting >&2; sleep 600 & echo $! > pid.new; mv pid.new pid; wait'";

fn sleeper(timeout: Duration) -> (Target, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let settings = TargetSettings {
        directory: Some(directory.path().to_owned()),
        timeout,
        ..settings()
    };
    (target(SLEEPER, &settings), directory)
}

#[tokio::test]
async fn a_timeout_kills_the_grandchildren_too() {
    let (target, directory) = sleeper(Duration::from_millis(300));
    assert_failure(target.call(&request("")).await, Timeout, "no answer within 0.3 s");
    let pid_file = directory.path().join("pid");
    // On a busy machine the shell may not have come that far.
    if pid_file.exists() {
        assert!(is_gone_soon(pid_in(&pid_file).await).await);
    }
}

#[tokio::test]
async fn dropping_the_call_kills_the_grandchildren_too() {
    let (target, directory) = sleeper(Duration::from_secs(60));
    let (input, pid_file) = (request(""), directory.path().join("pid"));
    let pid = tokio::select! {
        reply = target.call(&input) => panic!("the sleeper answered {reply:?}"),
        pid = pid_in(&pid_file) => pid,
    };
    assert!(is_gone_soon(pid).await);
}

#[tokio::test]
async fn what_a_finished_process_leaves_running_is_killed_and_not_waited_for() {
    let reply = call("exec:sh -c 'sleep 600 & echo $!'").await.unwrap();
    let pid = reply.output.output.as_str().unwrap().parse().unwrap();
    assert!(is_gone_soon(pid).await);
    assert!(is_running(std::process::id()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_at_once_get_their_own_answers() {
    let target = Arc::new(target("exec:cat", &settings()));
    let calls = (0..100).map(|number| {
        let target = Arc::clone(&target);
        tokio::spawn(async move { (number, target.call(&request(number)).await) })
    });
    for joined in join_all(calls).await {
        let (number, reply) = joined.unwrap();
        let answer = reply.unwrap().output.output;
        assert!(
            answer.as_str().unwrap().contains(&format!("\"input\":{number},")),
            "{answer}"
        );
    }
}
