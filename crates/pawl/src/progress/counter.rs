//! How many are done, of a number that is known or not.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use super::BETWEEN_LINES;

/// Shows how many are done.
pub(crate) struct Counter {
    what: &'static str,
    total: Option<u64>,
    shown: Shown,
}

enum Shown {
    Bar(ProgressBar),
    Lines { last: Mutex<Instant> },
}

impl Counter {
    /// For standard error as it is; without a total where it is not known how many there are.
    pub(crate) fn new(what: &'static str, total: Option<u64>) -> Self {
        let shown = if std::io::stderr().is_terminal() {
            let (bar, template) = match total {
                Some(total) => (
                    ProgressBar::new(total),
                    "{bar:30} {human_pos}/{human_len} {msg} · {eta}",
                ),
                None => (ProgressBar::new_spinner(), "{spinner} {human_pos} {msg}"),
            };
            let style =
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            Shown::Bar(bar.with_style(style).with_message(what))
        } else {
            Shown::Lines {
                last: Mutex::new(Instant::now()),
            }
        };
        Self { what, total, shown }
    }

    /// Shows that so many are done.
    pub(crate) fn reach(&self, done: u64) {
        match &self.shown {
            Shown::Bar(bar) => bar.set_position(done),
            Shown::Lines { last } => {
                // A panic while showing must not end the work.
                let Ok(mut last) = last.lock() else { return };
                if last.elapsed() >= BETWEEN_LINES {
                    *last = Instant::now();
                    let of = self
                        .total
                        .map_or_else(String::new, |total| format!("of {total} "));
                    let _ = writeln!(anstream::stderr(), "{done} {of}{}", self.what);
                }
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}
