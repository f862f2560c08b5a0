//! How a search is done.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// All that a run depends on beside its task and the answers that it is given.
///
/// [`Settings::default`] is what was measured to be best; [`Settings::reference`] follows the reference implementation.
/// The same settings, task and answers give the same candidates, at any number of workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What choices by chance are a function of.
    pub seed: u64,
    /// How many steps are under way at once: step i is planned from the pool as committed through step i − L. More keep
    /// more workers busy, and know less of each other.
    pub look_ahead: usize,
    /// How careful the search is.
    pub rules: Rules,
    /// Examples that a proposal is made from and screened on.
    pub minibatch: usize,
    /// How they are drawn.
    pub sampler: Sampler,
    /// Where parents come from; one source is drawn for each step.
    pub parents: Vec<ParentSource>,
    /// Proposals in a row that may come to nothing before another parent is drawn, where there is one; none where that does
    /// not matter.
    pub patience: Option<u32>,
    /// Which texts of a parent are written anew.
    pub components: ComponentChoice,
    /// When a proposal is worth a validation.
    pub acceptance: Acceptance,
    /// How candidates are validated.
    pub validation: Validation,
    /// Whether candidates are merged.
    pub merge: Option<Merge>,
    /// What a text must be like.
    pub hygiene: Hygiene,
    /// The score at which there is nothing left to learn; none where scores have no top.
    pub perfect_score: Option<f64>,
    /// Failed calls of a step that are made again, at most.
    pub retries: usize,
    /// Refused proposals of the same parent that are shown with the next one.
    pub refusals_shown: usize,
    /// When it ends.
    pub limits: Limits,
}

/// How careful the search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// Nothing is tried twice or without an allowance, nothing unreadable is adopted, scores are rounded to 32 bits.
    Strict,
    /// Those of PyPI's `gepa` 0.1.4, with its faults: limits are looked at between steps only, so that they are exceeded;
    /// replies are adopted as they are; known texts are tried again; scores have 64 bits.
    Reference,
}

/// How a minibatch is drawn. No example is in it twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampler {
    /// Every example once an epoch, in an order of chance.
    Epochs,
    /// First those that the parent is known to have failed on and that it was not improved on yet, then new ones: what was
    /// measured is used before more is.
    Stored,
    /// By chance, those more often that the parent did badly on, as far as is known.
    Hard,
    /// By chance, those more often whose scores differ between candidates, as far as is known.
    Variance,
}

/// A source of parents, and its share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParentSource {
    /// How often it is drawn, relative to the others.
    pub weight: u32,
    /// How it picks.
    pub pick: Pick,
}

/// How a parent is picked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// The candidate with the highest mean.
    Best,
    /// A ticket for each front that a candidate holds, after those were left out that others make up for.
    Front(Frontier),
    /// The best one, or with this probability any.
    EpsilonGreedy(f64),
    /// As [`Pick::Front`] over examples, among so many of the best means.
    TopFront(usize),
}

/// What fronts are over: the best score of each key, and who holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frontier {
    /// Examples of validation.
    Instance,
    /// Dimensions, by their means.
    Objective,
    /// Both, each key one ticket. Two sources of [`Settings::parents`] share fairly.
    Hybrid,
    /// Pairs of example and dimension.
    Cartesian,
}

/// Which texts of a parent are written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComponentChoice {
    /// One after the other, from where the parent was left.
    RoundRobin,
    /// All at once, each by a reflection of its own.
    All,
}

/// When a proposal is worth a validation: by the sums over its minibatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// It is better than its parent.
    Better,
    /// It is not worse.
    NotWorse,
    /// It is better, or as good and better in the sum of its dimensions.
    BetterByDimensions,
}

/// How candidates are validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Validation {
    /// Each on all examples.
    Full,
    /// On a stratified part that grows when candidates cannot be told apart any more; a few are decided on all of it.
    Growing(Growth),
}

/// How the part of the examples grows that the search sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Growth {
    /// Examples to begin with, and to grow by.
    pub block: usize,
    /// It grows when so many candidates are within a standard error of the best one.
    pub crowd: usize,
    /// Candidates that are tried on what is new; the others are left behind.
    pub keep: usize,
    /// Candidates that are decided on all examples, for which metric calls are kept back.
    pub finalists: usize,
}

/// How candidates are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merge {
    /// Merged candidates that are accepted, at most.
    pub limit: usize,
    /// Examples that a merged candidate is screened on, and that its parents must have in common.
    pub overlap: usize,
}

/// What a proposed text must be like, beside being new and keeping its placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hygiene {
    /// How long it may be; a token is taken for four characters.
    pub max_tokens: usize,
    /// Words in a row that it may not have from an example.
    pub copied_words: usize,
}

impl Default for Hygiene {
    fn default() -> Self {
        Self {
            max_tokens: 8_000,
            copied_words: 12,
        }
    }
}

/// When a run ends. What is counted is set aside before work begins, and never exceeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Candidates tried on an example.
    pub metric_calls: Option<u64>,
    /// Times that a text is asked for.
    pub reflections: Option<u64>,
    /// Tokens, of whatever is called.
    pub tokens: Option<u64>,
    /// Billionths of a US dollar.
    pub usd_nanos: Option<u64>,
    /// Since the run's beginning, by the caller's clock.
    pub time: Option<Duration>,
    /// A mean over all examples of validation that is good enough.
    pub score: Option<f64>,
    /// Candidates in the pool.
    pub candidates: Option<usize>,
    /// Steps in a row without a new candidate; 0 for the default of 100.
    pub idle_steps: u32,
    /// Steps in a row that came to nothing because of failures or unreadable replies; 0 for the default of 10.
    pub failed_steps: u32,
}

impl Limits {
    /// No more than so many metric calls.
    #[must_use]
    pub fn metric_calls(calls: u64) -> Self {
        Self {
            metric_calls: Some(calls),
            ..Self::default()
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let source = |weight, pick| ParentSource { weight, pick };
        Self {
            seed: 0,
            look_ahead: 1,
            rules: Rules::Strict,
            minibatch: 4,
            sampler: Sampler::Stored,
            parents: vec![
                source(1, Pick::Best),
                source(1, Pick::Front(Frontier::Objective)),
                source(1, Pick::Front(Frontier::Instance)),
            ],
            patience: Some(8),
            components: ComponentChoice::RoundRobin,
            acceptance: Acceptance::BetterByDimensions,
            validation: Validation::Growing(Growth {
                block: 15,
                crowd: 12,
                keep: 6,
                finalists: 5,
            }),
            merge: None,
            hygiene: Hygiene::default(),
            perfect_score: Some(1.0),
            retries: 4,
            refusals_shown: 3,
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// Whether there is nothing left to learn at this score.
    pub(crate) fn is_perfect(&self, score: f64) -> bool {
        self.perfect_score.is_some_and(|perfect| score >= perfect)
    }

    /// The defaults of PyPI's `gepa` 0.1.4, its rules included.
    #[must_use]
    pub fn reference() -> Self {
        Self {
            rules: Rules::Reference,
            minibatch: 3,
            sampler: Sampler::Epochs,
            patience: None,
            acceptance: Acceptance::Better,
            parents: vec![ParentSource {
                weight: 1,
                pick: Pick::Front(Frontier::Instance),
            }],
            validation: Validation::Full,
            retries: 0,
            refusals_shown: 0,
            ..Self::default()
        }
    }
}
