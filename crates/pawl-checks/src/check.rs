//! A compiled check.

use std::sync::Arc;

use pawl_model::{CheckResult, State};

use crate::contain::{Contain, StartsWith};
use crate::equal::Equals;
use crate::grading::Grading;
use crate::html::IsHtml;
use crate::json::{ContainsJson, IsJson};
use crate::judge::{Judged, Question};
use crate::levenshtein::Levenshtein;
use crate::limit::Limit;
use crate::pattern::Pattern;
use crate::rule::{Finding, Rule};
use crate::sentence;
use crate::spec::{AssertSpec, CheckType, PathStep, SpecError};
use crate::story::{StoryCheck, StoryRule, StorySettings};
use crate::subject::Subject;
use crate::xml::IsXml;

/// A check that is ready to judge: patterns and schemas are compiled. A clone shares them.
#[derive(Clone, Debug)]
pub struct Check {
    name: Arc<str>,
    weight: f64,
    metric: Option<String>,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Rule { rule: Arc<dyn Rule>, negated: bool },
    Set(Arc<Grading>),
}

impl Check {
    /// Compiles an entry: one check, or the eight of the preset `user-story`.
    ///
    /// # Errors
    /// When a value, threshold or weight does not fit the type: a pattern that is no regular expression, a schema that
    /// is no JSON Schema, an empty list …
    pub fn compile(spec: &AssertSpec) -> Result<Vec<Self>, SpecError> {
        spec.check_members()?;
        match spec.check_type {
            CheckType::UserStory => {
                let settings = StorySettings::read(spec)?;
                let of_preset = |check| {
                    let single = AssertSpec {
                        weight: spec.weight,
                        metric: spec.metric.clone(),
                        ..AssertSpec::of(CheckType::Story(check))
                    };
                    Self::with_rule(&single, Arc::new(StoryRule { check, settings }))
                };
                Ok(StoryCheck::ALL.map(of_preset).into())
            }
            CheckType::AssertSet => {
                let nested = |(index, spec)| {
                    Self::compile(spec).map_err(|e| {
                        e.under(PathStep::Index(index))
                            .under(PathStep::Key("assert".to_owned()))
                    })
                };
                let checks: Vec<Vec<Self>> = spec
                    .assert
                    .iter()
                    .enumerate()
                    .map(nested)
                    .collect::<Result<_, _>>()?;
                let set = Grading::new(checks.into_iter().flatten().collect(), spec.threshold)?;
                Ok(vec![Self::with_body(spec, Body::Set(Arc::new(set)))])
            }
            _ => Ok(vec![Self::with_rule(spec, compile_rule(spec)?)]),
        }
    }

    fn with_rule(spec: &AssertSpec, rule: Arc<dyn Rule>) -> Self {
        let negated = spec.negated;
        Self::with_body(spec, Body::Rule { rule, negated })
    }

    fn with_body(spec: &AssertSpec, body: Body) -> Self {
        Self {
            name: spec.name.as_str().into(),
            weight: spec.weight,
            metric: spec.metric.clone(),
            body,
        }
    }

    /// The type as written in the suite.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its scores are summed up under, where that is not its name.
    #[must_use]
    pub fn metric(&self) -> Option<&str> {
        self.metric.as_deref()
    }

    /// How much it counts in the case's score.
    #[must_use]
    pub const fn weight(&self) -> f64 {
        self.weight
    }

    /// What somebody has to be asked before it can judge.
    pub fn questions(&self) -> Box<dyn Iterator<Item = &Question> + '_> {
        match &self.body {
            Body::Rule { rule, .. } => Box::new(rule.question().into_iter()),
            Body::Set(grading) => Box::new(grading.questions()),
        }
    }

    /// Judges a subject. A check of weight 0 is a metric: where it would fail, it passes with the score 0.
    #[must_use]
    pub fn judge(&self, subject: &Subject<'_>) -> CheckResult {
        let (state, message, score) = match &self.body {
            Body::Rule { rule, negated } => {
                let (state, message) = judge_rule(rule.as_ref(), *negated, subject);
                let score = rule.score(subject);
                (
                    state,
                    message,
                    score.map(|score| if *negated { 1.0 - score } else { score }),
                )
            }
            Body::Set(grading) => {
                let grade = grading.judge(subject);
                let score = grade.score.filter(|_| grade.state != State::Error);
                (grade.state, grade.reason(), score)
            }
        };
        let (state, message, score) = match state {
            State::Failed if self.weight == 0.0 => (State::Passed, None, score.or(Some(0.0))),
            _ => (state, message, score),
        };
        CheckResult {
            score,
            weight: self.weight,
            metric: self.metric.clone(),
            ..CheckResult::new(Arc::clone(&self.name), state, message)
        }
    }
}

fn judge_rule(rule: &dyn Rule, negated: bool, subject: &Subject<'_>) -> (State, Option<String>) {
    match (rule.judge(subject), negated) {
        (Finding::Holds, false) | (Finding::Misses(_), true) => (State::Passed, None),
        (Finding::Misses(reason), false) => (State::Failed, Some(reason)),
        (Finding::Holds, true) => (State::Failed, Some(rule.claim())),
        (Finding::Unknown(reason), _) => (State::Error, Some(reason)),
        (Finding::Unasked(what), _) => (State::Skipped, Some(what)),
    }
}

fn compile_rule(spec: &AssertSpec) -> Result<Arc<dyn Rule>, SpecError> {
    Ok(match spec.check_type {
        CheckType::Equals => Arc::new(Equals::compile(spec)?),
        CheckType::Contains
        | CheckType::IContains
        | CheckType::ContainsAny
        | CheckType::IContainsAny
        | CheckType::ContainsAll
        | CheckType::IContainsAll => Arc::new(Contain::compile(spec)?),
        CheckType::StartsWith => Arc::new(StartsWith::compile(spec)?),
        CheckType::Regex => Arc::new(Pattern::compile(spec)?),
        CheckType::IsJson => Arc::new(IsJson::compile(spec)?),
        CheckType::ContainsJson => Arc::new(ContainsJson::compile(spec)?),
        CheckType::IsXml => Arc::new(IsXml::compile(spec)?),
        CheckType::IsHtml => Arc::new(IsHtml),
        CheckType::Levenshtein => Arc::new(Levenshtein::compile(spec)?),
        CheckType::Latency | CheckType::Cost => Arc::new(Limit::compile(spec)?),
        CheckType::Required | CheckType::Forbidden => sentence::compile(spec)?,
        CheckType::LlmRubric | CheckType::GEval | CheckType::Factuality | CheckType::Similar => {
            Arc::new(Judged::compile(spec)?)
        }
        CheckType::Story(check) => Arc::new(StoryRule {
            check,
            settings: StorySettings::read(spec)?,
        }),
        CheckType::AssertSet | CheckType::UserStory => {
            return Err(SpecError::new(format!(
                "`{}` stands for several checks",
                spec.name
            )));
        }
    })
}
