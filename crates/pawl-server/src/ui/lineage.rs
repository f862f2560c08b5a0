//! `/lineage/{id}`: what led to something, and what it led to.

use askama::Template;
use axum::extract::State;
use pawl_engine::lineage::{self, Shown, Step};
use pawl_model::{LineageEntry, LineageEvent, LineageKind, LineageNode};

use super::moment::{Moment, Moments};
use super::page::Page;
use super::session::Visitor;
use super::shell::{Section, Shell};
use crate::AppState;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};

/// How far what stands deep is moved in.
const DEEPEST: usize = 12;

#[derive(Template)]
#[template(path = "lineage.html")]
pub(super) struct LineagePage {
    shell: Shell,
    id: String,
    title: Option<String>,
    /// What became of all that has this id, the newest first.
    rows: Vec<Row>,
    /// Titles and trees.
    trees: [(&'static str, &'static str, Vec<Piece>); 2],
    is_complete: bool,
}

/// An entry about what was asked for.
struct Row {
    kind: LineageKind,
    /// Its own page, as long as it is there.
    href: Option<String>,
    event: Event,
}

/// What became of a node.
struct Event {
    position: i64,
    what: &'static str,
    when: Moment,
    sha256: String,
}

/// A piece of a tree.
enum Piece {
    Node(Branch),
    /// The rest of many of a kind.
    Rest {
        depth: usize,
        kind: LineageKind,
        count: usize,
        branches: Vec<Branch>,
    },
}

/// A node in a tree.
struct Branch {
    depth: usize,
    kind: LineageKind,
    id: String,
    title: Option<String>,
    event: Option<Event>,
    is_repeated: bool,
}

/// The lineage of a node.
pub(super) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Page<LineagePage>, Problem> {
    let lineage = state.engine.lineage(visitor.user(), &id).await?;
    let lineage = lineage.ok_or(Problem::new(ErrorCode::NotFound))?;
    let moments = Moments::of(&state, &visitor).await?;
    let section = lineage
        .nodes
        .first()
        .map_or(Section::Interactions, |told| section(told.node.kind));
    let mut rows = Vec::new();
    for told in &lineage.nodes {
        let newest = told.entries.first();
        let is_there = newest.is_some_and(|newest| newest.event != LineageEvent::Erased);
        rows.extend(told.entries.iter().map(|entry| Row {
            kind: told.node.kind,
            href: is_there.then(|| href(&told.node)).flatten(),
            event: Event::of(told.node.kind, entry, &moments),
        }));
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.event.position));
    let pieces = |steps: &[Step]| {
        let shown = lineage::folded(steps).into_iter();
        shown.map(|shown| Piece::of(shown, &moments)).collect()
    };
    Ok(Page(LineagePage {
        shell: visitor.shell(section, format!("Lineage of {}", lineage.id)),
        title: lineage.nodes.iter().find_map(|told| told.title.clone()),
        rows,
        trees: [
            ("before", "What led to it", pieces(&lineage.led_to_it)),
            ("behind", "What it led to", pieces(&lineage.it_led_to)),
        ],
        is_complete: lineage.is_complete,
        id: lineage.id,
    }))
}

impl Event {
    fn of(kind: LineageKind, entry: &LineageEntry, moments: &Moments) -> Self {
        Self {
            position: entry.position,
            what: lineage::event_text(kind, entry.event),
            when: moments.show(entry.at),
            sha256: entry.sha256.clone(),
        }
    }
}

impl Piece {
    fn of(shown: Shown<'_>, moments: &Moments) -> Self {
        match shown {
            Shown::Node(step) => Self::Node(Branch::of(step, 0, moments)),
            Shown::Rest { kind, count, steps } => {
                let depth = steps.first().map_or(1, |first| first.depth);
                let branches = steps.iter().map(|step| Branch::of(step, depth - 1, moments));
                Self::Rest {
                    depth: depth.min(DEEPEST),
                    kind,
                    count,
                    branches: branches.collect(),
                }
            }
        }
    }
}

impl Branch {
    /// A node that stands below one that is `above` deep.
    fn of(step: &Step, above: usize, moments: &Moments) -> Self {
        let kind = step.node.kind;
        let newest = step.newest.as_ref();
        Self {
            depth: (step.depth - above).min(DEEPEST),
            kind,
            title: step.title.clone(),
            id: step.node.id.clone(),
            event: newest.map(|entry| Event::of(kind, entry, moments)),
            is_repeated: step.is_repeated,
        }
    }
}

/// Where in the navigation a node is.
const fn section(kind: LineageKind) -> Section {
    match kind {
        LineageKind::Interaction | LineageKind::Pattern => Section::Interactions,
        LineageKind::Suggestion | LineageKind::Draft | LineageKind::Approval | LineageKind::Rejection => {
            Section::Suggestions
        }
        LineageKind::Run => Section::Runs,
        LineageKind::Candidate | LineageKind::Verdict | LineageKind::Version | LineageKind::Prompt => {
            Section::Prompts
        }
    }
}

/// The page of a node, where it has one that its id leads to.
fn href(node: &LineageNode) -> Option<String> {
    let id = node.id.as_str();
    Some(match node.kind {
        LineageKind::Interaction => ["/interactions/", id].concat(),
        LineageKind::Suggestion | LineageKind::Draft | LineageKind::Approval | LineageKind::Rejection => {
            ["/suggestions/", id].concat()
        }
        LineageKind::Run => ["/runs/", id].concat(),
        LineageKind::Prompt => ["/prompts/", id].concat(),
        LineageKind::Version => ["/prompts/", id.rsplit_once('@').map_or(id, |(name, _)| name)].concat(),
        LineageKind::Pattern | LineageKind::Candidate | LineageKind::Verdict => return None,
    })
}
