//! What a policy means, in words and in numbers of late.

use pawl_engine::intake::overview::{Days, Step};
use pawl_engine::intake::{PolicyToday, Zone};
use pawl_model::{DropReason, Policy, RunPolicy};

use crate::AppState;
use crate::problem::Problem;
use crate::ui::moment::{Moment, Moments};
use crate::ui::number;
use crate::ui::session::Visitor;

/// Over how many whole days the numbers of late are.
const LATE: i64 = 7;

/// What a policy means.
pub(super) struct Meaning {
    /// The rules, a sentence each.
    pub(super) rules: Vec<String>,
    /// What they came to of late.
    pub(super) late: String,
    /// What was stored today, of how many.
    pub(super) stored_today: String,
    /// When that begins anew.
    pub(super) next_day: Moment,
}

impl Meaning {
    pub(super) async fn of(
        state: &AppState,
        visitor: &Visitor,
        (today, moments): (&PolicyToday, &Moments),
    ) -> Result<Self, Problem> {
        let policy = &today.policy;
        let zone = Zone::named_or_utc(&policy.timezone);
        let yesterday = zone.day(state.engine.now()) - time::Duration::DAY;
        let days = Days {
            first: yesterday - time::Duration::days(LATE - 1),
            last: yesterday,
        };
        let overview = state
            .engine
            .overview(visitor.actor(), visitor.user(), days, Step::Day)
            .await?;
        let total = &overview.total;
        let [sampled_out, over_cap] =
            [DropReason::SampledOut, DropReason::OverCap].map(|reason| number::count(total.drops(reason)));
        let cap = u64::from(policy.max_eval_per_day);
        Ok(Self {
            rules: rules(policy),
            late: [
                "In the 7 days before today ",
                &number::counted(total.interactions(), "interaction"),
                " came in and stayed; the server left out ",
                &sampled_out,
                " by the sample and ",
                &over_cap,
                " over the cap.",
            ]
            .concat(),
            stored_today: [
                number::count(cap.saturating_sub(today.remaining)),
                number::count(cap),
            ]
            .join(" of "),
            next_day: moments.show(today.next_day),
        })
    }
}

fn rules(policy: &Policy) -> Vec<String> {
    let cap = number::count(u64::from(policy.max_eval_per_day));
    let rate = u64::from(policy.rate_pct());
    let per_thousand = number::count(rate * 10);
    let sample = match policy.run_policy {
        RunPolicy::Always => "Every interaction is evaluated".to_owned(),
        RunPolicy::Sampled => [
            "About ",
            &per_thousand,
            " of 1\u{202f}000 interactions are evaluated",
        ]
        .concat(),
    };
    let failures = if policy.run_policy == RunPolicy::Sampled && policy.keep_failures {
        ", and every failing one besides"
    } else {
        ""
    };
    let masking = if policy.obfuscate_pii {
        "Personal data is masked before anything is stored, and in what was stored before when it is shown."
    } else {
        "Interactions are stored and shown as they are sent, personal data included."
    };
    vec![
        [&sample, failures, "; at most ", &cap, " a day are stored."].concat(),
        [
            "An interaction is failing with a score below ",
            &policy.failure_score.to_string(),
            ", with one of ",
            &number::counted(policy.failure_flags.len() as u64, "flag"),
            ", or with an error in a tool call or span.",
        ]
        .concat(),
        masking.to_owned(),
        ["A day begins at midnight in ", &policy.timezone, "."].concat(),
    ]
}

#[cfg(test)]
mod tests {
    use pawl_model::UserId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn rules_say_what_the_policy_does() {
        let policy = Policy {
            run_policy: RunPolicy::Sampled,
            sample_rate_pct: 25,
            ..Policy::default_of(UserId(Uuid::nil()))
        };
        assert_eq!(
            rules(&policy)[0],
            "About 250 of 1\u{202f}000 interactions are evaluated, and every failing one besides; \
             at most 1\u{202f}000 a day are stored."
        );
        let always = Policy::default_of(UserId(Uuid::nil()));
        assert!(rules(&always)[0].starts_with("Every interaction is evaluated; at most"));
    }
}
