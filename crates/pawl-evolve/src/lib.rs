//! GEPA as a pure library: texts evolved by reflection, within limits, without I/O, clock or random state.
//!
//! A [`Run`] has a [`Task`] (texts to begin with, examples), [`Settings`], somebody who tries candidates ([`Evaluate`]),
//! somebody who proposes texts ([`Reflect`]), and something that remembers both ([`Journal`]). What it finds is a function
//! of these and of the answers it is given: the same at any number of workers, in whatever order answers come, and after
//! any kill.
//!
//! ```
//! use futures::executor::block_on;
//! use pawl_evolve::*;
//!
//! /// A text is good that names the colour that an example asks for.
//! struct Judge;
//!
//! impl Evaluate for Judge {
//!     async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
//!         let colour = &trial.example.input;
//!         let named = trial.candidate.text("prompt").is_some_and(|text| text.contains(colour.as_str()));
//!         let feedback = if named { "right".to_owned() } else { format!("name {colour}") };
//!         Ok(Rollout { score: f64::from(u8::from(named)), feedback, ..Rollout::default() })
//!     }
//! }
//!
//! /// Does as the feedback says. A real one sends `reflection.prompt(8_000)` to a model.
//! struct Editor;
//!
//! impl Reflect for Editor {
//!     async fn reflect(&self, reflection: Reflection<'_>) -> Result<Reply, Failure> {
//!         let wish = reflection.records.iter().find_map(|record| record.rollout.feedback.strip_prefix("name "));
//!         let text = format!("```\n{} {}\n```", reflection.current_text(), wish.unwrap_or_default());
//!         Ok(Reply { text, ..Reply::default() })
//!     }
//! }
//!
//! let examples = |colours: [&str; 3]| colours.map(|colour| Example::new(colour, colour)).to_vec();
//! let task = Task::new(
//!     Candidate::single("Colours:"),
//!     examples(["red", "green", "blue"]),
//!     examples(["green", "blue", "red"]),
//! )?;
//! let settings = Settings { limits: Limits::metric_calls(100), ..Settings::default() };
//! let run = Run {
//!     task: &task,
//!     settings: &settings,
//!     evaluate: &Judge,
//!     reflect: &Editor,
//!     journal: &NoJournal,
//!     control: Control::with_workers(4),
//! };
//! let report = block_on(run.evolve())?;
//! assert_eq!((report.best().mean, report.finish), (Some(1.0), Finish::Perfect));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod call;
mod candidate;
mod commit;
mod control;
mod draw;
mod error;
mod evaluate;
mod event;
mod example;
mod execute;
mod extract;
mod forecast;
mod front;
pub mod journal;
mod ledger;
mod merge;
mod parent;
mod plan;
mod pool;
mod prompt;
mod reflect;
mod refusal;
mod report;
mod rollout;
mod run;
mod sampler;
mod search;
mod settings;
mod tried;

pub use candidate::{Candidate, CandidateDigest, Component};
pub use commit::{Commit, DECISION, Outcome, Screen, SkipReason, Standing};
pub use control::{Cancel, Control};
pub use error::{EvolveError, TaskError};
pub use evaluate::{Evaluate, Trial};
pub use event::{AnswerSource, Event, StepKind, View};
pub use example::{Example, Split, Task};
pub use forecast::Forecast;
pub use journal::{Journal, MemoryJournal, NoJournal};
pub use ledger::Finish;
pub use reflect::{Record, Reflect, Reflection, Reply, ReplyEnd};
pub use refusal::{Refusal, RefusalReason};
pub use report::{Counts, Report, ReportedCandidate};
pub use rollout::{Cost, Failure, FailureKind, Rollout, Spend};
pub use run::Run;
pub use settings::{
    Acceptance, ComponentChoice, Frontier, Growth, Hygiene, Limits, Merge, ParentSource, Pick, Rules,
    Sampler, Settings, Validation,
};
