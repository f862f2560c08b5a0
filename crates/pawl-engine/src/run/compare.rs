//! Two runs, paired case by case.

use std::collections::HashMap;

use pawl_checks::stats::{
    ComparisonSettings, Observation, PairedCase, PairedComparison, holm, mcnemar_exact,
};
use pawl_model::{CaseId, EvalResults, Run, RunId, State, Tally};
use pawl_store::{Actor, Scope, cases, runs};
use serde::Serialize;

use crate::{Engine, EngineError};

/// How many flips, and how many cases of one run alone, a comparison names.
const NAMED: usize = 20;
const PAGE: u32 = 2_000;

/// Two runs compared over the cases that both have.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The first run, the baseline.
    pub a: ComparedRun,
    /// The second run.
    pub b: ComparedRun,
    /// What can be said of them; none where they share no case.
    pub statistics: Option<PairedComparison>,
    /// Cases that passed in the first run alone.
    pub lost: Named,
    /// Cases that passed in the second run alone.
    pub gained: Named,
    /// Cases of the first run that the second has not.
    pub only_in_a: Named,
    /// Cases of the second run that the first has not.
    pub only_in_b: Named,
    /// Each check that both runs have, with p-values adjusted for their number (Holm).
    pub checks: Vec<CheckComparison>,
    /// The rows of the lost and gained cases that are named.
    #[serde(skip)]
    pub(super) flips: Vec<FlippedRows>,
}

/// The first rows of a case that passed in one run alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlippedRows {
    pub(super) direction: Direction,
    pub(super) a: CaseId,
    pub(super) b: CaseId,
}

/// In which of two runs a case passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// In the first alone.
    Lost,
    /// In the second alone.
    Gained,
}

/// One side of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedRun {
    /// The run.
    pub id: RunId,
    /// Its name.
    pub name: Option<String>,
    /// Its rows by state.
    pub tally: Tally,
}

/// Some ids of cases, and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Named {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Vec<String>,
}

impl Named {
    /// Counts one more, and says whether it is named.
    fn push(&mut self, id: &str) -> bool {
        self.count += 1;
        let is_named = self.first.len() < NAMED;
        if is_named {
            self.first.push(id.to_owned());
        }
        is_named
    }
}

/// One check in both runs, over the cases that both have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckComparison {
    /// The check.
    pub name: String,
    /// Cases in which it passed in the first run alone.
    pub lost: u64,
    /// Cases in which it passed in the second run alone.
    pub gained: u64,
    /// McNemar's exact p-value, adjusted by Holm over the checks.
    pub adjusted_p_value: f64,
}

impl Comparison {
    /// Whether the second run passes less often, by more than chance explains.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        self.statistics
            .as_ref()
            .is_some_and(PairedComparison::is_regression)
    }

    /// What the verdict rests on, in a few words.
    #[must_use]
    pub fn evidence(&self) -> String {
        match &self.statistics {
            Some(statistics) => {
                // No p-value is 0.
                let p = match statistics.rates.p_value {
                    p if p < 0.001 => "p < 0.001".to_owned(),
                    p => format!("p = {p:.3}"),
                };
                format!(
                    "{} cases lost and {} gained of {} (exact McNemar {p})",
                    self.lost.count, self.gained.count, statistics.pairs
                )
            }
            None => "no case in common".to_owned(),
        }
    }
}

impl Engine {
    /// Compares two runs that the actor sees.
    ///
    /// # Errors
    /// When there is no such run, or the database fails.
    pub async fn compare(&self, actor: Actor, a: RunId, b: RunId) -> Result<Comparison, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let run_a = runs::get(&mut scope, a)
            .await?
            .ok_or(EngineError::UnknownRun { id: a })?;
        let run_b = runs::get(&mut scope, b)
            .await?
            .ok_or(EngineError::UnknownRun { id: b })?;
        let mut names = CheckNames::default();
        let side_a = Side::read(&mut scope, &run_a, &mut names).await?;
        let side_b = Side::read(&mut scope, &run_b, &mut names).await?;
        drop(scope);
        // Statistics over a million pairs are work for a thread of their own.
        tokio::task::spawn_blocking(move || comparison(side_a, side_b, &names))
            .await
            .map_err(EngineError::Worker)
    }

    /// The run that `latest` means: the newest completed one of the same suite, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn latest_run(&self, actor: Actor, of: &Run) -> Result<Option<RunId>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let latest = runs::latest(&mut scope, of.suite.as_deref().unwrap_or_default(), of.id).await?;
        Ok(latest.map(|run| run.id))
    }
}

/// What one run says of one case, over its trials.
#[derive(Clone, Debug)]
struct CaseOutcome {
    /// The first of its rows.
    row: CaseId,
    passed: u32,
    judged: u32,
    score_sum: f64,
    scored: u32,
    checks: Vec<(u16, i32)>,
}

impl CaseOutcome {
    const fn beginning_with(row: CaseId) -> Self {
        Self {
            row,
            passed: 0,
            judged: 0,
            score_sum: 0.0,
            scored: 0,
            checks: Vec::new(),
        }
    }

    /// Passed in most of the trials that could be judged; a score is the mean over the trials.
    fn observation(&self) -> Observation {
        Observation {
            passed: (self.judged > 0).then(|| self.passed * 2 > self.judged),
            score: (self.scored > 0).then(|| self.score_sum / f64::from(self.scored)),
        }
    }

    /// Whether a check passed in more trials than it failed.
    fn check_passed(&self, check: u16) -> Option<bool> {
        self.checks
            .iter()
            .find(|(name, _)| *name == check)
            .map(|(_, balance)| *balance > 0)
    }
}

#[derive(Default)]
struct CheckNames {
    by_name: HashMap<String, u16>,
    names: Vec<String>,
}

impl CheckNames {
    fn index(&mut self, name: &str) -> Option<u16> {
        if let Some(index) = self.by_name.get(name) {
            return Some(*index);
        }
        let index = u16::try_from(self.names.len()).ok()?;
        self.by_name.insert(name.to_owned(), index);
        self.names.push(name.to_owned());
        Some(index)
    }
}

struct Side {
    run: ComparedRun,
    /// In the order of the run's rows.
    cases: Vec<(String, CaseOutcome)>,
}

impl Side {
    async fn read(scope: &mut Scope, run: &Run, names: &mut CheckNames) -> Result<Self, EngineError> {
        let mut tally = Tally::default();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut cases: Vec<(String, CaseOutcome)> = Vec::new();
        let mut after = None;
        loop {
            let page = cases::outcomes(scope, run.id, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            for outcome in page {
                tally.add(outcome.state);
                let Some(id) = outcome.input_id else { continue };
                let place = *places.entry(id).or_insert_with_key(|id| {
                    cases.push((id.clone(), CaseOutcome::beginning_with(outcome.id)));
                    cases.len() - 1
                });
                let case = &mut cases[place].1;
                case.passed += u32::from(outcome.state == State::Passed);
                case.judged += u32::from(matches!(outcome.state, State::Passed | State::Failed));
                if let Some(score) = outcome.score {
                    case.score_sum += score;
                    case.scored += 1;
                }
                for check in EvalResults::read(&outcome.eval_results.to_value()).checks {
                    let Some(name) = names.index(&check.name) else {
                        continue;
                    };
                    let balance = if check.state == State::Passed { 1 } else { -1 };
                    match case.checks.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, sum)) => *sum += balance,
                        None => case.checks.push((name, balance)),
                    }
                }
            }
        }
        Ok(Self {
            run: ComparedRun {
                id: run.id,
                name: run.run_name.clone(),
                tally,
            },
            cases,
        })
    }
}

fn comparison(a: Side, b: Side, names: &CheckNames) -> Comparison {
    let in_b: HashMap<&str, &CaseOutcome> = b.cases.iter().map(|(id, case)| (id.as_str(), case)).collect();
    let mut result = Comparison {
        a: a.run,
        b: b.run,
        statistics: None,
        lost: Named::default(),
        gained: Named::default(),
        only_in_a: Named::default(),
        only_in_b: Named::default(),
        checks: Vec::new(),
        flips: Vec::new(),
    };
    let mut pairs: Vec<(&CaseOutcome, &CaseOutcome)> = Vec::new();
    let mut paired_ids: std::collections::HashSet<&str> = std::collections::HashSet::new();
    for (id, first) in &a.cases {
        let Some(second) = in_b.get(id.as_str()) else {
            result.only_in_a.push(id);
            continue;
        };
        paired_ids.insert(id);
        let passed = |case: &CaseOutcome| case.observation().passed == Some(true);
        let flip = match (passed(first), passed(second)) {
            (true, false) => result.lost.push(id).then_some(Direction::Lost),
            (false, true) => result.gained.push(id).then_some(Direction::Gained),
            _ => None,
        };
        result.flips.extend(flip.map(|direction| FlippedRows {
            direction,
            a: first.row,
            b: second.row,
        }));
        pairs.push((first, second));
    }
    for (id, _) in b.cases.iter().filter(|(id, _)| !paired_ids.contains(id.as_str())) {
        result.only_in_b.push(id);
    }
    let observed = pairs.iter().map(|(a, b)| PairedCase {
        first: a.observation(),
        second: b.observation(),
    });
    // Scores in the database are finite and the default settings fit: it fails only where there is no pair.
    result.statistics = PairedComparison::new(observed, &ComparisonSettings::default()).ok();
    result.checks = compare_checks(&pairs, names);
    result
}

fn compare_checks(pairs: &[(&CaseOutcome, &CaseOutcome)], names: &CheckNames) -> Vec<CheckComparison> {
    let mut checks: Vec<CheckComparison> = Vec::new();
    for (name, index) in names.names.iter().zip(0_u16..) {
        let (mut lost, mut gained, mut shared) = (0, 0, false);
        for (a, b) in pairs {
            if let (Some(first), Some(second)) = (a.check_passed(index), b.check_passed(index)) {
                shared = true;
                lost += u64::from(first && !second);
                gained += u64::from(!first && second);
            }
        }
        if shared {
            let adjusted_p_value = mcnemar_exact(lost, gained);
            checks.push(CheckComparison {
                name: name.clone(),
                lost,
                gained,
                adjusted_p_value,
            });
        }
    }
    let raw: Vec<f64> = checks.iter().map(|check| check.adjusted_p_value).collect();
    if let Ok(adjusted) = holm(&raw) {
        for (check, p_value) in checks.iter_mut().zip(adjusted) {
            check.adjusted_p_value = p_value;
        }
    }
    checks
}
