//! `latency` and `cost`: limits on what was measured.

use crate::Subject;
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, CheckType, SpecError};

#[derive(Debug)]
pub(crate) enum Limit {
    /// In milliseconds.
    Latency(f64),
    /// In US dollars.
    Cost(f64),
}

impl Limit {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        let threshold = spec.required_threshold()?;
        Ok(match spec.check_type {
            CheckType::Latency => Self::Latency(threshold),
            _ => Self::Cost(threshold),
        })
    }
}

impl Rule for Limit {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        match self {
            Self::Latency(limit) => match subject.latency_ms() {
                #[expect(clippy::cast_precision_loss, reason = "2^53 ms are longer than any run")]
                Some(took) => Finding::of(took as f64 <= *limit, || {
                    format!("took {took} ms, at most {limit} ms")
                }),
                None => Finding::Unknown("the target reported no latency".to_owned()),
            },
            Self::Cost(limit) => match subject.cost_usd() {
                Some(cost) => Finding::of(cost <= *limit, || format!("cost ${cost}, at most ${limit}")),
                None => Finding::Unknown("the target reported no cost".to_owned()),
            },
        }
    }

    fn claim(&self) -> String {
        match self {
            Self::Latency(limit) => format!("took at most {limit} ms"),
            Self::Cost(limit) => format!("cost at most ${limit}"),
        }
    }
}
