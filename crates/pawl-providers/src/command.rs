//! Commands as targets.

mod pool;
mod process;

use std::path::PathBuf;
use std::time::Duration;

use pawl_model::{TargetFailure, TargetOutput, TargetRequest};
use serde_json::json;
use tokio::time::{Instant, timeout};

pub(crate) use pool::ProcessPool;
use process::{Finished, Process};

use crate::answer::{broken, no_answer_within, plain_text, request_line, utf8};
use crate::excerpt::{Tail, without_escapes};
use crate::spec::CommandLine;
use crate::target::TargetReply;

/// How a process is started, and how long it may take for a case.
pub(crate) struct Command {
    pub(crate) line: CommandLine,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) timeout: Duration,
}

impl Command {
    /// One process for this case, by our contract.
    pub(crate) async fn call(&self, request: &TargetRequest) -> Result<TargetReply, TargetFailure> {
        let started = Instant::now();
        let finished = self.run(&[], &request_line(request)?).await?;
        Ok(TargetReply {
            output: TargetOutput::parse(&utf8(finished.stdout)?)?,
            latency: started.elapsed(),
        })
    }

    /// One process for this case, by promptfoo's contract.
    pub(crate) async fn call_as_promptfoo(
        &self,
        request: &TargetRequest,
        options: &str,
    ) -> Result<TargetReply, TargetFailure> {
        let context = json!({ "vars": request.vars }).to_string();
        let arguments = [plain_text(&request.input), options.to_owned(), context];
        let started = Instant::now();
        let finished = self.run(&arguments, &[]).await?;
        let latency = started.elapsed();
        let answer = utf8(finished.stdout)?;
        let answer = without_escapes(answer.trim());
        if answer.is_empty() && !finished.stderr.is_empty() {
            return Err(broken(format!(
                "`{}` printed nothing but errors: {}",
                self.line.program, finished.stderr
            )));
        }
        Ok(TargetReply {
            output: TargetOutput::text(answer),
            latency,
        })
    }

    async fn run(&self, arguments: &[String], input: &[u8]) -> Result<Finished, TargetFailure> {
        let process = Process::start(self, arguments)?;
        let mut tail = Tail::default();
        match timeout(self.timeout, process.finish(input, &mut tail)).await {
            Ok(finished) => finished,
            Err(_) => Err(with_tail(no_answer_within(self.timeout), &tail)),
        }
    }
}

/// The failure, with what the process last said about it.
fn with_tail(mut failure: TargetFailure, tail: &Tail) -> TargetFailure {
    let said = tail.text();
    if !said.is_empty() {
        failure.message.push_str(": ");
        failure.message.push_str(&said);
    }
    failure
}
