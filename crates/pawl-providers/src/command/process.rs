//! One process in a group of its own, which dies with us.

use std::io::{self, ErrorKind};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use pawl_model::TargetFailure;
use rustix::io::ioctl_fionread;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::{Command, with_tail};
use crate::answer::{broken, malformed, too_long, utf8};
use crate::excerpt::Tail;
use crate::target::MAX_ANSWER_BYTES;

/// How long a process that has been told to end, by the end of a pipe, is given to do so.
const GRACE: Duration = Duration::from_secs(1);

const READ_LIMIT: u64 = MAX_ANSWER_BYTES as u64 + 1;

/// A running process. Dropping it kills it and everything it started, unless that left the process group.
pub(super) struct Process {
    program: String,
    // Before `child`, so that the group is gone before its number can be given to another.
    group: Group,
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
}

/// What a process printed that ended well.
pub(super) struct Finished {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

struct Group(Option<Pid>);

impl Group {
    fn kill(&mut self) {
        if let Some(group) = self.0.take() {
            // It fails only when nobody is left in the group.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Process {
    pub(super) fn start(command: &Command, arguments: &[String]) -> Result<Self, TargetFailure> {
        let program = &command.line.program;
        let mut start = tokio::process::Command::new(program);
        start
            .args(&command.line.arguments)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(directory) = &command.directory {
            if !directory.is_dir() {
                return Err(broken(format!(
                    "cannot start `{program}` in `{}`: no such directory",
                    directory.display()
                )));
            }
            start.current_dir(directory);
        }
        let mut child = start.spawn().map_err(|error| {
            let reason = match error.kind() {
                ErrorKind::NotFound => "not found".to_owned(),
                ErrorKind::PermissionDenied => "not executable (permission denied)".to_owned(),
                ErrorKind::ArgumentListTooLong => "its arguments are too long for this system".to_owned(),
                _ => error.to_string(),
            };
            broken(format!("cannot start `{program}`: {reason}"))
        })?;
        let group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(broken(format!("cannot start `{program}`: no pipes to it")));
        };
        Ok(Self {
            program: program.clone(),
            group,
            child,
            stdin,
            stdout: BufReader::new(stdout),
            stderr,
        })
    }

    /// Gives the process all its input and waits for it to exit.
    pub(super) async fn finish(self, input: &[u8], tail: &mut Tail) -> Result<Finished, TargetFailure> {
        let Self {
            program,
            group,
            mut child,
            mut stdin,
            stdout,
            stderr,
        } = self;
        let write = async move {
            // A process that does not read its input is free not to: a closed pipe is no failure.
            let _ = stdin.write_all(input).await;
            drop(stdin);
            Ok(())
        };
        let read = async {
            let mut printed = Vec::new();
            let length = stdout.take(READ_LIMIT).read_to_end(&mut printed).await;
            length.map_err(|error| broken(format!("cannot read from `{program}`: {error}")))?;
            if printed.len() > MAX_ANSWER_BYTES {
                Err(too_long())
            } else {
                Ok(printed)
            }
        };
        let listen = async {
            tail.fill(stderr).await;
            Ok(())
        };
        let exit = async {
            let status = child.wait().await;
            // What it left running would hold our ends of the pipes open.
            drop(group);
            status.map_err(|error| broken(format!("cannot wait for `{program}`: {error}")))
        };
        let ((), printed, (), status) = tokio::try_join!(write, read, listen, exit)?;
        if !status.success() {
            return Err(with_tail(
                broken(format!("`{program}` {}", describe(status))),
                tail,
            ));
        }
        Ok(Finished {
            stdout: printed,
            stderr: tail.text(),
        })
    }

    /// Whether the process waits for a request: it has neither exited nor printed something that nobody asked for.
    pub(super) fn is_waiting(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None)) && !self.has_printed()
    }

    fn has_printed(&self) -> bool {
        // The pipe is asked directly: the runtime may not have noticed yet.
        !self.stdout.buffer().is_empty() || ioctl_fionread(self.stdout.get_ref()) != Ok(0)
    }

    /// Gives the process a line and reads the line that answers it. After an error or a drop of the future, the
    /// process is out of step and of no more use.
    pub(super) async fn ask(&mut self, line: &[u8], tail: &mut Tail) -> Result<String, TargetFailure> {
        let answer = self
            .exchange(line, tail)
            .await
            .map_err(|error| broken(format!("cannot read from `{}`: {error}", self.program)))?;
        if answer.len() > MAX_ANSWER_BYTES {
            return Err(too_long());
        }
        if !answer.ends_with(b"\n") {
            return Err(self.ended(tail).await);
        }
        if self.has_printed() {
            return Err(malformed(format!(
                "`{}` answered with more than one line",
                self.program
            )));
        }
        utf8(answer)
    }

    /// What the process printed up to a line break, the end of its output or one byte over the limit.
    async fn exchange(&mut self, line: &[u8], tail: &mut Tail) -> io::Result<Vec<u8>> {
        let exchange = async {
            let mut answer = Vec::new();
            let mut bounded = (&mut self.stdout).take(READ_LIMIT);
            // A process may begin to answer before it has read everything. When it is gone, reading says so.
            let (_, read) = tokio::join!(self.stdin.write_all(line), bounded.read_until(b'\n', &mut answer));
            read.map(|_| answer)
        };
        tokio::pin!(exchange);
        tokio::select! {
            answer = &mut exchange => answer,
            () = tail.fill(&mut self.stderr) => exchange.await,
        }
    }

    /// Why there is no more output.
    async fn ended(&mut self, tail: &mut Tail) -> TargetFailure {
        let waited = timeout(GRACE, self.child.wait()).await;
        self.group.kill();
        tail.fill(&mut self.stderr).await;
        let how = match waited {
            Ok(Ok(status)) => format!("{} before it answered with a whole line", describe(status)),
            _ => "closed its standard output before it answered with a whole line".to_owned(),
        };
        with_tail(broken(format!("`{}` {how}", self.program)), tail)
    }

    /// Lets the process end by itself, for a short while.
    pub(super) async fn close(self) {
        let Self {
            group,
            mut child,
            stdin,
            ..
        } = self;
        drop(stdin);
        let _ = timeout(GRACE, child.wait()).await;
        drop(group);
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
