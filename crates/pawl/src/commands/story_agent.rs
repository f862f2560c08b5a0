//! `pawl story-agent`.

use std::io;

use crate::cli::StoryAgentArgs;
use crate::demo::story_agent::{self, Quality};
use crate::exit::Exit;

/// Answers cases on standard input until it ends.
pub(crate) fn serve(args: &StoryAgentArgs) -> anyhow::Result<Exit> {
    let quality = if args.flawed {
        Quality::Flawed
    } else {
        Quality::Fixed
    };
    story_agent::serve(io::stdin().lock(), io::stdout().lock(), quality)?;
    Ok(Exit::Passed)
}
