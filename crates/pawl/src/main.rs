//! The binary: commands, configuration, terminal output and exit codes.

mod cli;
mod commands;
mod config;
mod demo;
mod exit;
mod output;
mod progress;
mod stop;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::stop::Stop;

/// Rows are made on one thread and freed on another, all the time: the system's allocator spends a third of a run on that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long threads that still read a file may take when everything else is over.
const SHUTDOWN: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::report(&anyhow::Error::new(error).context("cannot start")),
    };
    let outcome = runtime.block_on(async {
        let stop = Stop::on_signals();
        tokio::select! {
            outcome = commands::dispatch(cli, &stop.soon) => outcome,
            // Dropping the command ends the processes that it started.
            () = stop.now.cancelled() => Ok(Exit::Interrupted),
        }
    });
    runtime.shutdown_timeout(SHUTDOWN);
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => exit::report(&error),
    }
}
