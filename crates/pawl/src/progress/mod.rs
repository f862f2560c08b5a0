//! How far a run is: a bar on a terminal, a line now and then elsewhere. Always on standard error.

mod counter;
mod search;

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use pawl_engine::run::RunEvent;
use pawl_model::Tally;

pub(crate) use self::counter::Counter;
pub(crate) use self::search::SearchProgress;

const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// Shows the events of one run after the other.
pub(crate) struct Progress(Mutex<Shown>);

enum Shown {
    Bar(Option<ProgressBar>),
    Lines { name: String, rows: u64, last: Instant },
}

impl Progress {
    /// For standard error as it is.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(if std::io::stderr().is_terminal() {
            Shown::Bar(None)
        } else {
            Shown::Lines {
                name: String::new(),
                rows: 0,
                last: Instant::now(),
            }
        }))
    }

    /// Shows an event.
    pub(crate) fn show(&self, event: RunEvent<'_>) {
        // A panic while showing must not end the run.
        let Ok(mut shown) = self.0.lock() else { return };
        match (&mut *shown, event) {
            (Shown::Bar(bar), RunEvent::Started { run, rows, stored }) => {
                let style =
                    ProgressStyle::with_template("{prefix} {bar:30} {human_pos}/{human_len} {msg} · {eta}")
                        .unwrap_or_else(|_| ProgressStyle::default_bar());
                let new = ProgressBar::new(rows).with_style(style).with_position(stored);
                new.set_prefix(run.run_name.clone().unwrap_or_default());
                *bar = Some(new);
            }
            (Shown::Bar(Some(bar)), RunEvent::Stored { tally }) => {
                bar.set_message(counts(tally));
                bar.set_position(tally.total());
            }
            (Shown::Bar(None), RunEvent::Stored { .. }) => {}
            (
                Shown::Lines {
                    name,
                    rows: all,
                    last,
                },
                RunEvent::Started { run, rows, .. },
            ) => {
                (*name, *all, *last) = (run.run_name.clone().unwrap_or_default(), rows, Instant::now());
            }
            (Shown::Lines { name, rows, last }, RunEvent::Stored { tally }) => {
                if last.elapsed() >= BETWEEN_LINES {
                    *last = Instant::now();
                    let _ = writeln!(
                        anstream::stderr(),
                        "{name}: {} of {rows} rows stored, {}",
                        tally.total(),
                        counts(tally)
                    );
                }
            }
        }
    }

    /// Takes the bar away when a run is over.
    pub(crate) fn clear(&self) {
        if let Ok(Shown::Bar(bar)) = self.0.lock().as_deref_mut()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

fn counts(tally: &Tally) -> String {
    format!("✓ {} ✕ {} ! {}", tally.passed, tally.failed, tally.error)
}
