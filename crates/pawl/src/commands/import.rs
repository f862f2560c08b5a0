//! `pawl import`.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;

use pawl_engine::trace::{Export, SpanProblem, datadog, otlp};
use serde_json::value::RawValue;

use crate::cli::{ImportCommand, ImportTracesArgs, TraceFormat};
use crate::exit::{Exit, Usage};

/// Bytes that a file may have: it is held whole.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// Stores what other tools have exported.
pub(crate) async fn import(command: ImportCommand) -> anyhow::Result<Exit> {
    match command {
        ImportCommand::Traces(args) => traces(args).await,
    }
}

/// What came of the files so far.
#[derive(Default)]
struct Counts {
    spans: u64,
    rejected: u64,
    problem: Option<SpanProblem>,
}

async fn traces(args: ImportTracesArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let mut counts = Counts::default();
    for path in &args.files {
        let text = read(path)?;
        let documents = serde_json::Deserializer::from_str(&text).into_iter::<&RawValue>();
        for (number, document) in documents.enumerate() {
            let wrong = |problem: String| {
                let (file, document) = (path.display(), number + 1);
                Usage(format!("{file}: document {document}: {problem}"))
            };
            let document = document.map_err(|error| wrong(error.to_string()))?;
            let export = export(document.get(), args.format).map_err(wrong)?;
            counts.spans += export.len() as u64;
            if let Some((rejected, problem)) = engine.store_traces(user, export).await? {
                counts.rejected += rejected;
                counts.problem.get_or_insert(problem);
            }
        }
    }
    engine.close().await;
    let Counts {
        spans,
        rejected,
        problem,
    } = counts;
    let mut stderr = anstream::stderr();
    if let Some(problem) = problem {
        writeln!(stderr, "{rejected} spans are not stored: {problem}")?;
    }
    writeln!(stderr, "{spans} spans read")?;
    Ok(Exit::Passed)
}

fn export(document: &str, format: TraceFormat) -> Result<Export, String> {
    match format {
        TraceFormat::Otlp => otlp::read(document).map_err(|error| error.to_string()),
        TraceFormat::Datadog => {
            datadog::read(document).map_err(|error| format!("no answer of Datadog's Export API: {error}"))
        }
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let unreadable = |error: io::Error| Usage(format!("cannot read {}: {error}", path.display()));
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(unreadable)?)
    };
    let mut text = String::new();
    source
        .take(MAX_FILE + 1)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        let mebibytes = MAX_FILE >> 20;
        let message = format!("{} has more than {mebibytes} MiB: split it", path.display());
        return Err(Usage(message).into());
    }
    Ok(text)
}
