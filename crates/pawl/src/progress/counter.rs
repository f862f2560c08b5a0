//! How many of a known number are done.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use super::BETWEEN_LINES;

/// Shows how many of a known number are done.
pub(crate) struct Counter {
    what: &'static str,
    total: u64,
    shown: Shown,
}

enum Shown {
    Bar(ProgressBar),
    Lines { last: Mutex<Instant> },
}

impl Counter {
    /// For standard error as it is.
    pub(crate) fn new(what: &'static str, total: u64) -> Self {
        let shown = if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:30} {human_pos}/{human_len} {msg} · {eta}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            Shown::Bar(ProgressBar::new(total).with_style(style).with_message(what))
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
                    let _ = writeln!(anstream::stderr(), "{done} of {} {}", self.total, self.what);
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
