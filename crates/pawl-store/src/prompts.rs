//! Prompts, their versions, which of them is live, and why.

use pawl_model::{
    LineageKind, LineageNode, PromotionVerdict, PromptComponent, PromptVersion, UserId, VerdictKind,
};
use time::OffsetDateTime;

use crate::insert::{Insert, OnExisting};
use crate::statement::{document, pair, shared};
use crate::{Result, Row, Scope, Statement, Value};

const LIVE: Statement = shared!("prompts/live");
const LIST: Statement = shared!("prompts/list");
const VERSIONS: Statement = shared!("prompts/versions");
const VERDICTS: Statement = shared!("prompts/verdicts");
const HOLD: Statement = pair!("prompts/hold");
const NEWEST: Statement = shared!("prompts/newest");
const SET_LIVE: Statement = shared!("prompts/set_live");

pub(crate) const STATEMENTS: &[Statement] = &[LIVE, LIST, VERSIONS, VERDICTS, HOLD, NEWEST, SET_LIVE];

const INSERT: Insert = Insert {
    table: "prompts",
    columns: &["user_id", "name", "live_version", "updated_at"],
    on_existing: OnExisting::Fail,
};

const INSERT_VERSION: Insert = Insert {
    table: "prompt_versions",
    columns: &[
        "user_id",
        "name",
        "version",
        "components",
        "candidate_id",
        "created_at",
    ],
    on_existing: OnExisting::Fail,
};

const INSERT_VERDICT: Insert = Insert {
    table: "promotion_verdicts",
    columns: &[
        "user_id",
        "id",
        "name",
        "kind",
        "from_version",
        "to_version",
        "candidate_id",
        "decided_by",
        "reason",
        "findings",
        "created_at",
    ],
    on_existing: OnExisting::Fail,
};

/// The live version of a prompt.
///
/// # Errors
/// When the database fails.
pub async fn live(scope: &mut Scope, user: UserId, name: &str) -> Result<Option<PromptVersion>> {
    let row = scope.fetch_one(&LIVE, &[user.into(), name.into()]).await?;
    row.as_ref().map(read_version).transpose()
}

/// The live version of each prompt, by name.
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope, user: UserId, limit: u32) -> Result<Vec<PromptVersion>> {
    let rows = scope
        .fetch(&LIST, &[user.into(), i64::from(limit).into()])
        .await?;
    rows.iter().map(read_version).collect()
}

/// Versions of a prompt, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn versions(scope: &mut Scope, user: UserId, name: &str, limit: u32) -> Result<Vec<PromptVersion>> {
    let values = [user.into(), name.into(), i64::from(limit).into()];
    let rows = scope.fetch(&VERSIONS, &values).await?;
    rows.iter().map(read_version).collect()
}

/// What was decided about a prompt, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn verdicts(
    scope: &mut Scope,
    user: UserId,
    name: &str,
    limit: u32,
) -> Result<Vec<PromotionVerdict>> {
    let values = [user.into(), name.into(), i64::from(limit).into()];
    let rows = scope.fetch(&VERDICTS, &values).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(PromotionVerdict {
                id: columns.read()?,
                name: columns.read()?,
                kind: columns.read()?,
                from_version: columns.read()?,
                to_version: columns.read()?,
                candidate_id: columns.read()?,
                decided_by: columns.read()?,
                reason: columns.read()?,
                findings: columns.read()?,
                created_at: columns.read()?,
            })
        })
        .collect()
}

/// Which version is live, where there is such a prompt; it stays so until the transaction ends.
///
/// # Errors
/// When the database fails.
pub async fn hold(scope: &mut Scope, user: UserId, name: &str) -> Result<Option<i64>> {
    let row = scope.fetch_one(&HOLD, &[user.into(), name.into()]).await?;
    row.map(|row| row.columns().read()).transpose()
}

/// Adds a version of a prompt after those that there are, and gives its number. A prompt that is new begins with it, live.
///
/// # Errors
/// When the database fails.
pub async fn add_version(
    scope: &mut Scope,
    (user, name): (UserId, &str),
    (components, candidate_id): (&[PromptComponent], Option<&str>),
    at: OffsetDateTime,
) -> Result<i64> {
    let is_new = hold(scope, user, name).await?.is_none();
    let row = scope.fetch_one(&NEWEST, &[user.into(), name.into()]).await?;
    let newest: i64 = row.map_or(Ok(0), |row| row.columns().read())?;
    let version = newest + 1;
    if is_new {
        let row = vec![user.into(), name.into(), version.into(), at.into()];
        scope.insert(&INSERT, &[row]).await?;
    }
    let components = document(&components)?;
    let row: Vec<Value<'_>> = vec![
        user.into(),
        name.into(),
        version.into(),
        (&components).into(),
        candidate_id.into(),
        at.into(),
    ];
    scope.insert(&INSERT_VERSION, &[row]).await?;
    scope.enters(user, LineageNode::version(name, version), []);
    Ok(version)
}

/// Makes a version live.
///
/// # Errors
/// When the database fails.
pub async fn set_live(
    scope: &mut Scope,
    (user, name): (UserId, &str),
    version: i64,
    at: OffsetDateTime,
) -> Result<()> {
    let values = [user.into(), name.into(), version.into(), at.into()];
    scope.execute(&SET_LIVE, &values).await?;
    scope.changed(user, LineageKind::Prompt, name);
    Ok(())
}

/// Adds what was decided.
///
/// # Errors
/// When the database fails.
pub async fn insert_verdict(scope: &mut Scope, user: UserId, verdict: &PromotionVerdict) -> Result<()> {
    let row = vec![
        user.into(),
        verdict.id.as_str().into(),
        verdict.name.as_str().into(),
        verdict.kind.as_str().into(),
        verdict.from_version.into(),
        verdict.to_version.into(),
        verdict.candidate_id.as_deref().into(),
        verdict.decided_by.as_str().into(),
        verdict.reason.as_str().into(),
        (&verdict.findings).into(),
        verdict.created_at.into(),
    ];
    scope.insert(&INSERT_VERDICT, &[row]).await?;
    tell(scope, user, verdict);
    Ok(())
}

/// What led to a verdict: the candidate and the version that was live, or the one that is live again. What it led to: the
/// version that it made, and that it is live.
fn tell(scope: &mut Scope, user: UserId, verdict: &PromotionVerdict) {
    let node = LineageNode::new(LineageKind::Verdict, &verdict.id);
    let version = |number| LineageNode::version(&verdict.name, number);
    let candidate = verdict.candidate_id.as_ref();
    let mut parents: Vec<LineageNode> = candidate
        .map(|id| LineageNode::new(LineageKind::Candidate, id))
        .into_iter()
        .chain(verdict.from_version.map(version))
        .collect();
    if let Some(to) = verdict.to_version.map(version) {
        match verdict.kind {
            VerdictKind::RolledBack => parents.push(to),
            _ => scope.enters(user, to, [node.clone()]),
        }
        let prompt = LineageNode::new(LineageKind::Prompt, &verdict.name);
        scope.enters(user, prompt, [node.clone()]);
    }
    scope.enters(user, node, parents);
}

fn read_version(row: &Row) -> Result<PromptVersion> {
    let mut columns = row.columns();
    let (name, version) = (columns.read()?, columns.read()?);
    Ok(PromptVersion {
        name,
        version,
        components: columns.document("components of a prompt")?,
        candidate_id: columns.read()?,
        created_at: columns.read()?,
    })
}
