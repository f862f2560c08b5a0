//! How far a search is: on a terminal a few lines that are drawn anew in their place, a line for each proposal elsewhere.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use pawl_engine::evolve::{Commit, Event, Outcome, Spend, View};
use pawl_model::{Optimization, Usd};

use crate::output::counted;

/// Proposals that stay in view.
const LATEST: usize = 6;

/// Shows the events of one search.
pub(crate) struct SearchProgress {
    max_cost: Option<Usd>,
    shown: Shown,
}

enum Shown {
    Terminal(Box<Terminal>),
    Lines,
}

struct Terminal {
    all: MultiProgress,
    calls: ProgressBar,
    best: ProgressBar,
    latest: [ProgressBar; LATEST],
    /// What the latest lines say, the newest first, and the mean of the seed.
    said: Mutex<(Vec<String>, Option<f64>)>,
}

impl Terminal {
    fn new(calls: u64) -> Self {
        let all = MultiProgress::new();
        let styled = |bar: ProgressBar, template: &str| {
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            all.add(bar.with_style(style))
        };
        Self {
            calls: styled(
                ProgressBar::new(calls),
                "{bar:30} {human_pos} of {human_len} calls of the target{wide_msg}",
            ),
            best: styled(ProgressBar::new(1), "{wide_msg}"),
            latest: std::array::from_fn(|_| styled(ProgressBar::new(1), "  {wide_msg}")),
            said: Mutex::default(),
            all,
        }
    }

    fn show(&self, commit: &Commit, (view, spent): (&View<'_>, &str)) {
        // A panic while showing must not end the search.
        let Ok(mut said) = self.said.lock() else { return };
        if let Outcome::Seeded(standing) = &commit.outcome {
            said.1 = standing.mean;
        }
        let taken = view.spent() + view.lost();
        self.calls.set_position(taken.metric_calls);
        self.calls.set_message(spent.to_owned());
        let seed = said.1.map_or_else(String::new, |seed| format!(" from {seed:.3}"));
        self.best.set_message(format!(
            "best {}{seed} · {} of {} on the front",
            best(view),
            view.front().len(),
            counted(view.candidates() as u64, "candidate"),
        ));
        if let Some(line) = line(commit) {
            said.0.insert(0, line);
            said.0.truncate(LATEST);
        }
        for (bar, line) in self.latest.iter().zip(&said.0) {
            bar.set_message(line.clone());
        }
    }
}

impl SearchProgress {
    /// For standard error as it is, of so many calls and dollars at most.
    pub(crate) fn new(calls: u64, max_cost: Option<Usd>) -> Self {
        let shown = match std::io::stderr().is_terminal() {
            true => Shown::Terminal(Box::new(Terminal::new(calls))),
            false => Shown::Lines,
        };
        Self { max_cost, shown }
    }

    /// Shows an event.
    pub(crate) fn show(&self, run: &Optimization, event: &Event<'_>) {
        match (event, &self.shown) {
            (Event::Began { .. }, Shown::Terminal(terminal)) => {
                let _ = terminal.all.println(format!("optimisation {}", run.id));
            }
            (Event::Began { .. }, Shown::Lines) => {
                let _ = writeln!(anstream::stderr(), "optimisation {}", run.id);
            }
            (Event::Committed { commit, view }, Shown::Terminal(terminal)) => {
                terminal.show(commit, (view, &self.spent(view.spent() + view.lost())));
            }
            (Event::Committed { commit, view }, Shown::Lines) => {
                let Some(line) = line(commit) else { return };
                let taken = view.spent() + view.lost();
                let _ = writeln!(
                    anstream::stderr(),
                    "{line} · best {} of {} · {}{}",
                    best(view),
                    view.candidates(),
                    counted(taken.metric_calls, "call"),
                    self.spent(taken),
                );
            }
            _ => {}
        }
    }

    /// What was spent beside calls of the target.
    fn spent(&self, taken: Spend) -> String {
        let most = self.max_cost.map_or_else(String::new, |most| {
            format!(" of ${:.2}", most.nanos() as f64 / 1e9)
        });
        format!(
            " · {} of the model · {} · ${:.4}{most}",
            taken.reflections,
            counted(taken.cost.tokens, "token"),
            taken.cost.usd_nanos as f64 / 1e9,
        )
    }

    /// Takes away what is drawn anew.
    pub(crate) fn clear(&self) {
        if let Shown::Terminal(terminal) = &self.shown {
            let _ = terminal.all.clear();
        }
    }
}

fn best(view: &View<'_>) -> String {
    let mean = view.best().and_then(|best| best.mean);
    mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}"))
}

/// What came of a step, in a line; nothing where it proposed nothing.
fn line(commit: &Commit) -> Option<String> {
    let what = match &commit.outcome {
        Outcome::Seeded(_) => "the seed is tried".to_owned(),
        Outcome::Accepted { standing, .. } => {
            format!("+ a new candidate at {:.3}", standing.mean.unwrap_or_default())
        }
        Outcome::Rejected { screen, .. } => format!(
            "= no better: {:.2} against {:.2} on {}",
            screen.after,
            screen.before,
            counted(screen.examples as u64, "case"),
        ),
        Outcome::Refused { refusal, .. } => format!("✕ refused: {}", refusal.reason),
        Outcome::Failed { failure, .. } => format!("! failed: {failure}"),
        Outcome::Skipped { .. } | Outcome::Grown { .. } | Outcome::Decided { .. } => return None,
    };
    let step = match i64::try_from(commit.step) {
        Ok(i64::MAX) | Err(_) => return Some(what),
        Ok(step) => step,
    };
    Some(format!("step {step}: {what}"))
}
