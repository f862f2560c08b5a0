//! What is called: one target with its settings.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use pawl_model::{TargetFailure, TargetOutput, TargetRequest};
use serde_json::Value;

use crate::command::{Command, ProcessPool};
use crate::http::HttpTarget;
use crate::model::{ModelError, ModelSpec, Models};
use crate::model_target::{ModelOptions, ModelTarget};
use crate::spec::{TargetKind, TargetSpec};

/// How long an answer may be.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// How a target is called.
#[derive(Clone, Debug)]
pub struct TargetSettings {
    /// The time for one case, from the moment its request is first sent: over 0 and at most 24 hours. Retries are
    /// inside it, waiting for the first turn is not; but nobody waits for an endpoint that has asked for a longer pause.
    pub timeout: Duration,
    /// How many calls there may be at once: the most processes of [`CommandContract::Persistent`], the most requests
    /// under way to an HTTP endpoint. Other commands leave that to the caller.
    pub concurrency: NonZeroUsize,
    /// How a command is asked and answers. Other targets have one contract only.
    pub contract: CommandContract,
    /// Where commands run; `None` is the current directory.
    pub directory: Option<PathBuf>,
    /// How models are reached.
    pub models: Models,
    /// How a model is asked.
    pub model: ModelOptions,
}

/// How a command is asked and answers. Its environment is ours, and what it prints to standard error is for people:
/// the end of it stands in the message when it fails.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandContract {
    /// One process per case: the request as a line of JSON on standard input, which then ends; standard output is the
    /// answer, read by [`TargetOutput::parse`]. The case ends when the process exits; what it leaves running is
    /// killed.
    PerCase,
    /// Long-lived processes that answer each line of JSON on standard input with one line on standard output: a JSON
    /// string stands for its text, anything else is read by [`TargetOutput::parse`]. An object with `output` may
    /// repeat the request's `id`, which is then compared. A process that exits, prints anything else or does not
    /// answer in time fails its case and is replaced.
    Persistent,
    /// promptfoo's contract for `exec:`
    /// ([documentation](https://www.promptfoo.dev/docs/providers/custom-script/)): one process per case with three
    /// more arguments, which are the prompt, the provider's options as JSON, and the context as JSON, of which we give
    /// `{"vars": …}`. Standard input is empty; standard output, trimmed and without terminal escapes, is a text.
    /// Printing nothing but errors is a failure.
    Promptfoo {
        /// The provider's options as they stand in the suite.
        options: Value,
    },
}

/// Why a target cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Only commands can be persistent.
    #[error("`{0}` cannot be persistent: only exec: targets are processes")]
    NotACommand(TargetSpec),
    /// The time for a case is out of range.
    #[error("the timeout of a target must be over 0 and at most 24 hours")]
    Timeout,
    /// The model cannot be reached.
    #[error("`{spec}` cannot be asked")]
    Model {
        /// The model.
        spec: ModelSpec,
        /// What is missing.
        source: Box<ModelError>,
    },
    /// The HTTP client does not start, for example because the system has no readable root certificates.
    #[error("cannot set up the HTTP client")]
    Client(#[source] reqwest::Error),
}

/// What a target answered, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetReply {
    /// The answer.
    pub output: TargetOutput,
    /// The time of the attempt that succeeded.
    pub latency: Duration,
}

/// Something that produces outputs. Calls may run concurrently.
pub struct Target(Kind);

enum Kind {
    Echo,
    PerCase(Command),
    Promptfoo { command: Command, options: String },
    Persistent(ProcessPool),
    Http(HttpTarget),
    Model(Box<ModelTarget>),
}

impl Target {
    /// A target, ready to be called. Nothing is started or connected yet.
    ///
    /// # Errors
    /// When the settings do not fit the target.
    pub fn new(spec: &TargetSpec, settings: &TargetSettings) -> Result<Self, TargetError> {
        if settings.timeout.is_zero() || settings.timeout > MAX_TIMEOUT {
            return Err(TargetError::Timeout);
        }
        let persistent = settings.contract == CommandContract::Persistent;
        let kind = match spec.kind() {
            TargetKind::Exec(line) => {
                let command = Command {
                    line: line.clone(),
                    directory: settings.directory.clone(),
                    timeout: settings.timeout,
                };
                match &settings.contract {
                    CommandContract::PerCase => Kind::PerCase(command),
                    CommandContract::Persistent => {
                        Kind::Persistent(ProcessPool::new(command, settings.concurrency))
                    }
                    CommandContract::Promptfoo { options } => Kind::Promptfoo {
                        command,
                        options: options.to_string(),
                    },
                }
            }
            _ if persistent => return Err(TargetError::NotACommand(spec.clone())),
            TargetKind::Http(url) => {
                Kind::Http(HttpTarget::new(spec, url, settings).map_err(TargetError::Client)?)
            }
            TargetKind::Model(model) => {
                let target = ModelTarget::new(model, settings).map_err(|source| TargetError::Model {
                    spec: model.clone(),
                    source: Box::new(source),
                })?;
                Kind::Model(Box::new(target))
            }
            TargetKind::Echo => Kind::Echo,
        };
        Ok(Self(kind))
    }

    /// Asks for one output. Dropping the future ends the request and kills the process.
    ///
    /// # Errors
    /// When there is no output to judge: not in time, not at all, not in the contract's form, or not yet.
    pub async fn call(&self, request: &TargetRequest) -> Result<TargetReply, TargetFailure> {
        match &self.0 {
            Kind::Echo => Ok(TargetReply {
                output: TargetOutput {
                    output: request.input.clone(),
                    ..TargetOutput::default()
                },
                latency: Duration::ZERO,
            }),
            Kind::PerCase(command) => command.call(request).await,
            Kind::Promptfoo { command, options } => command.call_as_promptfoo(request, options).await,
            Kind::Persistent(pool) => pool.call(request).await,
            Kind::Http(target) => target.call(request).await,
            Kind::Model(target) => target.call(request).await,
        }
    }

    /// Ends persistent processes: their standard input ends, and what has not exited shortly after is killed. Dropping
    /// the target kills them at once.
    pub async fn close(self) {
        if let Kind::Persistent(pool) = self.0 {
            pool.close().await;
        }
    }
}
