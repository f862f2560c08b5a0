//! `pawl review`.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use pawl_engine::mine::suggestions::{Filter, SuggestionDetail};
use pawl_engine::review::approved;
use pawl_engine::review::{Base, DraftEdit, Drafted, Review, ReviewError, Verdict};
use pawl_engine::{Actor, Engine};
use pawl_model::UserId;
use serde_json::Value;

use crate::cli::{
    ReviewApproveArgs, ReviewCommand, ReviewEditArgs, ReviewExportArgs, ReviewListArgs, ReviewRejectArgs,
    ReviewShowArgs, ReviewerArgs,
};
use crate::exit::{Exit, Usage};
use crate::output;

/// Rows that are read at once.
const PAGE: u32 = 500;

/// Shows what waits for people, and does what they decide.
pub(crate) async fn review(command: ReviewCommand) -> anyhow::Result<Exit> {
    match command {
        ReviewCommand::List(args) => list(args).await,
        ReviewCommand::Show(args) => show(args).await,
        ReviewCommand::Edit(args) => edit(args).await,
        ReviewCommand::Approve(args) => approve(args).await,
        ReviewCommand::Reject(args) => reject(args).await,
        ReviewCommand::Export(args) => export(args).await,
    }
}

async fn list(args: ReviewListArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let actor = Actor::Tenant(user);
    let filter = Filter {
        status: args.status.0,
        suggestion_type: args.suggestion_type,
        severity: args.severity,
        after: None,
    };
    let mut suggestions = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let rest = args.limit - u32::try_from(suggestions.len()).unwrap_or(args.limit);
        let page = engine
            .review_queue(actor, (&filter, after.as_deref()), rest.min(PAGE))
            .await?;
        suggestions.extend(page.items);
        after = page.next;
        if after.is_none() || suggestions.len() >= args.limit as usize {
            break;
        }
    }
    engine.close().await;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        for suggestion in &suggestions {
            serde_json::to_writer(&mut stdout, suggestion)?;
            stdout.write_all(b"\n")?;
        }
    } else {
        output::write_queue(&suggestions, &mut stdout)?;
    }
    Ok(Exit::Passed)
}

async fn show(args: ReviewShowArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let actor = Actor::Tenant(user);
    let detail = found(&engine, actor, &args.id).await?;
    engine.close().await;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        output::write_json(&serde_json::to_value(&detail)?, &mut stdout)?;
    } else {
        output::write_suggestion(&detail, &mut stdout)?;
    }
    Ok(Exit::Passed)
}

/// A suggestion that somebody named.
pub(super) async fn found(engine: &Engine, actor: Actor, id: &str) -> anyhow::Result<SuggestionDetail> {
    let detail = engine.suggestion(actor, id).await?;
    detail.ok_or_else(|| {
        Usage(format!(
            "there is no suggestion {id}: `pawl review list` shows them"
        ))
        .into()
    })
}

async fn edit(args: ReviewEditArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let detail = found(&engine, Actor::Tenant(user), &args.id).await?;
    let drafted = Drafted::of(&detail.suggestion).map_err(told)?;
    let draft = drafted
        .ok_or_else(|| about(&args.id, ReviewError::NoDraft))?
        .draft;
    let text = match &args.file {
        Some(path) if path.as_os_str() == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Usage(format!("cannot read {}: {error}", path.display())))?,
        None => in_editor(&DraftEdit::from(&draft))?,
    };
    let edit = read_edit(&text)?;
    if args.file.is_none() && edit == DraftEdit::from(&draft) {
        writeln!(anstream::stderr(), "nothing was changed")?;
        return Ok(Exit::Passed);
    }
    let by = reviewer(&engine, user, &args.reviewer).await?;
    let review = Review {
        user_id: user,
        suggestion_id: &args.id,
        by: &by,
    };
    let base = Base::UpdatedAt(draft.updated_at);
    let edited = engine.edit_draft(review, edit, base).await.map_err(told)?;
    engine.close().await;
    let drafted = Drafted::of(&edited).map_err(told)?;
    if let Some(drafted) = &drafted {
        let (verdict, summary) = drafted.verdict();
        writeln!(anstream::stdout(), "{verdict}: {summary}")?;
    }
    Ok(Exit::Passed)
}

/// What a person may write, of a document that may hold the rest too.
fn read_edit(text: &str) -> anyhow::Result<DraftEdit> {
    let mut document: Value =
        serde_json::from_str(text).map_err(|error| Usage(format!("the draft is no JSON: {error}")))?;
    if let Some(members) = document.as_object_mut() {
        for known in [
            "eval_test_id",
            "source",
            "status",
            "edit_source",
            "generated_at",
            "updated_at",
            "generator_meta",
        ] {
            members.shift_remove(known);
        }
    }
    serde_json::from_value(document).map_err(|error| Usage(format!("the draft: {error}")).into())
}

/// Lets a person write in the editor of their choice.
fn in_editor(edit: &DraftEdit) -> anyhow::Result<String> {
    let variable = |name: &str| {
        std::env::var(name)
            .ok()
            .filter(|editor| !editor.trim().is_empty())
    };
    let editor = variable("VISUAL")
        .or_else(|| variable("EDITOR"))
        .ok_or_else(|| Usage("there is no editor: set EDITOR, or give the draft by --file".to_owned()))?;
    let folder = tempfile::tempdir().context("cannot make a folder for the draft")?;
    let path = folder.path().join("draft.json");
    std::fs::write(&path, format!("{}\n", serde_json::to_string_pretty(edit)?))?;
    open_editor(&editor, &path)?;
    Ok(std::fs::read_to_string(&path)?)
}

fn open_editor(editor: &str, path: &Path) -> anyhow::Result<()> {
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let status = Command::new(program).args(words).arg(path).status();
    let status = status.map_err(|error| Usage(format!("cannot start {editor}: {error}")))?;
    if status.success() {
        Ok(())
    } else {
        Err(Usage(format!("{editor} ended with {status}; nothing was written")).into())
    }
}

async fn approve(args: ReviewApproveArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let by = reviewer(&engine, user, &args.reviewer).await?;
    for id in &args.ids {
        let review = Review {
            user_id: user,
            suggestion_id: id,
            by: &by,
        };
        let notes = args.notes.as_deref();
        let decided = engine.decide(review, Verdict::Approve { notes }).await;
        decided.map_err(|error| about(id, error))?;
        writeln!(anstream::stdout(), "{id} is approved")?;
    }
    engine.close().await;
    Ok(Exit::Passed)
}

async fn reject(args: ReviewRejectArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let by = reviewer(&engine, user, &args.reviewer).await?;
    let review = Review {
        user_id: user,
        suggestion_id: &args.id,
        by: &by,
    };
    let reason = &args.reason;
    let decided = engine.decide(review, Verdict::Reject { reason }).await;
    decided.map_err(|error| about(&args.id, error))?;
    engine.close().await;
    writeln!(anstream::stdout(), "{} is rejected", args.id)?;
    Ok(Exit::Passed)
}

/// Writes approved tests as a file of another tool.
pub(super) async fn export(args: ReviewExportArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let actor = Actor::Tenant(user);
    let tests = if args.ids.is_empty() {
        engine.approved_tests(actor).await?
    } else {
        let mut tests = Vec::new();
        for id in &args.ids {
            tests.push(
                engine
                    .approved_test(actor, id)
                    .await
                    .map_err(|error| about(id, error))?,
            );
        }
        tests
    };
    engine.close().await;
    let file = approved::export(args.format, &tests)?;
    match &args.output {
        Some(path) => {
            std::fs::write(path, file).with_context(|| format!("cannot write {}", path.display()))?;
        }
        None => std::io::stdout().lock().write_all(file.as_bytes())?,
    }
    writeln!(
        anstream::stderr(),
        "{}",
        output::counted(tests.len() as u64, "approved test")
    )?;
    Ok(Exit::Passed)
}

/// Who decides: whoever is named, else the user.
async fn reviewer(engine: &Engine, user: UserId, args: &ReviewerArgs) -> anyhow::Result<String> {
    if let Some(name) = &args.by {
        return Ok(name.clone());
    }
    let account = engine.account(user).await?;
    Ok(account.email.unwrap_or_else(|| user.to_string()))
}

fn about(id: &str, error: ReviewError) -> anyhow::Error {
    match error {
        ReviewError::Engine(error) => error.into(),
        ReviewError::NotFound => Usage(format!("there is no suggestion {id}")).into(),
        ReviewError::NoDraft => {
            let next = format!("`pawl draft --suggestion {id}` makes one");
            Usage(format!("{id}: it has no draft yet: {next}")).into()
        }
        error => Usage(format!("{id}: {error}")).into(),
    }
}

/// A refusal is what the person asked for that cannot be done.
fn told(error: ReviewError) -> anyhow::Error {
    match error {
        ReviewError::Engine(error) => error.into(),
        error => Usage(error.to_string()).into(),
    }
}
