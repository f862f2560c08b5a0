//! `pawl story-agent` and `pawl support-agent`.

use std::io;

use crate::cli::{AgentArgs, SupportAgentArgs};
use crate::demo::story_agent::{self, Quality};
use crate::demo::support_agent;
use crate::exit::Exit;

/// Answers cases on standard input with stories until it ends.
pub(crate) fn stories(args: &AgentArgs) -> anyhow::Result<Exit> {
    story_agent::serve(io::stdin().lock(), io::stdout().lock(), quality(args))?;
    Ok(Exit::Passed)
}

/// Answers questions on standard input until it ends.
pub(crate) fn support(args: &SupportAgentArgs) -> anyhow::Result<Exit> {
    let prompt = match &args.prompt {
        Some(file) => super::prompt::read(file)?,
        None => support_agent::FIRST_PROMPT.to_owned(),
    };
    support_agent::serve(io::stdin().lock(), io::stdout().lock(), &prompt)?;
    Ok(Exit::Passed)
}

const fn quality(args: &AgentArgs) -> Quality {
    if args.flawed {
        Quality::Flawed
    } else {
        Quality::Fixed
    }
}
