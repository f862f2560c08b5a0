//! Long-lived processes that answer one case after the other.

use std::num::NonZeroUsize;

use futures::future::join_all;
use pawl_model::{TargetFailure, TargetRequest};
use serde_json::Value;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, timeout};

use super::process::Process;
use super::{Command, with_tail};
use crate::answer::{malformed, no_answer_within, parse_json_or_text, request_line};
use crate::excerpt::Tail;
use crate::target::TargetReply;

/// Processes of one command. They are started when they are needed; one that is out of step is dropped, which kills it.
pub(crate) struct ProcessPool {
    command: Command,
    turns: Semaphore,
    idle: Mutex<Vec<Process>>,
}

impl ProcessPool {
    pub(crate) fn new(command: Command, processes: NonZeroUsize) -> Self {
        Self {
            command,
            turns: Semaphore::new(processes.get().min(Semaphore::MAX_PERMITS)),
            idle: Mutex::default(),
        }
    }

    pub(crate) async fn call(&self, request: &TargetRequest) -> Result<TargetReply, TargetFailure> {
        let line = request_line(request)?;
        // The semaphore is never closed, so this is always a permit.
        let _turn = self.turns.acquire().await;
        let mut process = match self.take_idle().await {
            Some(process) => process,
            None => Process::start(&self.command, &[])?,
        };
        let mut tail = Tail::default();
        let asked = Instant::now();
        let answer = timeout(self.command.timeout, process.ask(&line, &mut tail))
            .await
            .map_err(|_| with_tail(no_answer_within(self.command.timeout), &tail))??;
        let latency = asked.elapsed();
        compare_id(&answer, &request.id)?;
        self.idle.lock().await.push(process);
        Ok(TargetReply {
            output: parse_json_or_text(answer.trim_end_matches(['\r', '\n']))?,
            latency,
        })
    }

    async fn take_idle(&self) -> Option<Process> {
        let mut idle = self.idle.lock().await;
        while let Some(mut process) = idle.pop() {
            if process.is_waiting() {
                return Some(process);
            }
        }
        None
    }

    pub(crate) async fn close(self) {
        join_all(self.idle.into_inner().into_iter().map(Process::close)).await;
    }
}

/// An answer to another request would be judged as the answer to this one.
fn compare_id(answer: &str, id: &str) -> Result<(), TargetFailure> {
    if let Ok(Value::Object(members)) = serde_json::from_str(answer)
        && members.contains_key("output")
        && let Some(Value::String(answered)) = members.get("id")
        && answered != id
    {
        return Err(malformed(format!(
            "the target was asked for case `{id}` and answered for `{answered}`"
        )));
    }
    Ok(())
}
