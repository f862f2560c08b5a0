//! What was decided of a prompt, and what it was decided by.

use pawl_model::{PromotionVerdict, VerdictKind};

use crate::ui::moment::{Moment, Moments};

/// A verdict.
pub(super) struct Verdict {
    pub(super) word: &'static str,
    pub(super) class: &'static str,
    pub(super) change: String,
    pub(super) by: String,
    pub(super) reason: String,
    pub(super) when: Moment,
    pub(super) findings: Vec<String>,
    pub(super) objections: Vec<String>,
}

impl Verdict {
    pub(super) fn of(verdict: &PromotionVerdict, moments: &Moments) -> Self {
        let (word, class) = match verdict.kind {
            VerdictKind::Initial => ("added", "passed"),
            VerdictKind::Promoted => ("promoted", "passed"),
            VerdictKind::Refused => ("refused", "failed"),
            VerdictKind::Overridden => ("overridden", "error"),
            VerdictKind::RolledBack => ("rolled back", "skipped"),
        };
        let number =
            |version: Option<i64>| version.map_or_else(|| "–".to_owned(), |version| version.to_string());
        let findings = verdict.findings.to_value();
        let objections = findings["objections"].as_array().into_iter().flatten();
        let side = &findings["hold_out"];
        let scores = &side["comparison"]["scores"];
        let mut found = Vec::new();
        if let (Some(before), Some(after)) = (scores["first_mean"].as_f64(), scores["second_mean"].as_f64()) {
            let interval = &scores["difference"]["interval"];
            let interval = match (interval["lower"].as_f64(), interval["upper"].as_f64()) {
                (Some(lower), Some(upper)) => format!(" ({lower:+.3} to {upper:+.3})"),
                _ => String::new(),
            };
            found.push(format!(
                "{before:.3} → {after:.3} on {} held-out examples, {:+.3}{interval}",
                side["examples"],
                after - before
            ));
        }
        for (what, part) in [("approved tests", "approved"), ("controls", "controls")] {
            if let Some(tests) = findings[part]["tests"].as_u64().filter(|tests| *tests > 0) {
                let failed = findings[part]["failed"].as_array().map_or(0, Vec::len);
                found.push(format!("{what}: {failed} of {tests} fail"));
            }
        }
        Self {
            word,
            class,
            change: format!(
                "{} → {}",
                number(verdict.from_version),
                number(verdict.to_version)
            ),
            by: verdict.decided_by.clone(),
            reason: verdict.reason.clone(),
            when: moments.show(verdict.created_at),
            findings: found,
            objections: objections
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
        }
    }
}
