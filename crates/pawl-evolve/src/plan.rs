//! What a step will do: all that it depends on, as it was when the step was planned.

use std::collections::HashMap;
use std::sync::Arc;

use crate::candidate::{Candidate, CandidateDigest};
use crate::commit::{Screen, SkipReason};
use crate::pool::Index;
use crate::refusal::Refusal;
use crate::rollout::{Failure, Rollout, Spend};

/// A step that was planned.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) step: u64,
    /// What it may take at most, held for it.
    pub(crate) held: Spend,
    /// How many failed calls of it may be made again.
    pub(crate) retries: usize,
    /// How many steps were committed when it was planned: what they tried is known to it.
    pub(crate) knows: u64,
    pub(crate) work: Work,
}

/// What it does.
#[derive(Debug)]
pub(crate) enum Work {
    /// Tries members on examples of validation.
    Validate(Vec<Validation>),
    /// Improves a member.
    Mutate(Mutation),
    /// Joins two members.
    Merge(Merging),
}

/// A member, and the examples of validation that it is to be tried on.
#[derive(Clone, Debug)]
pub(crate) struct Validation {
    pub(crate) member: Index,
    pub(crate) candidate: Candidate,
    pub(crate) digest: CandidateDigest,
    /// Places of the examples.
    pub(crate) examples: Vec<usize>,
}

/// A member, and what its successor is made from.
#[derive(Debug)]
pub(crate) struct Mutation {
    pub(crate) parent: Index,
    pub(crate) candidate: Candidate,
    pub(crate) digest: CandidateDigest,
    /// Places of the examples for training.
    pub(crate) minibatch: Vec<usize>,
    /// What the parent did on them, where that is known.
    pub(crate) known: HashMap<usize, Arc<Rollout>>,
    /// Places of the components to write anew.
    pub(crate) components: Vec<usize>,
    /// The place of the one to write anew where nothing comes of these.
    pub(crate) spare: Option<usize>,
    pub(crate) refusals: Vec<Refusal>,
    /// Places of the examples of validation for a successor that is accepted.
    pub(crate) validation: Vec<usize>,
}

/// Two members, joined.
#[derive(Debug)]
pub(crate) struct Merging {
    pub(crate) parents: [Index; 2],
    pub(crate) digests: [CandidateDigest; 2],
    pub(crate) candidate: Candidate,
    pub(crate) components: Vec<String>,
    /// Places of the examples of validation that it is screened on, with the better one of its parents' sums on them.
    pub(crate) screen: Vec<usize>,
    pub(crate) before: f64,
    /// Those that it is tried on when it is accepted, the ones of the screen included.
    pub(crate) validation: Vec<usize>,
}

/// A step that was executed, and waits to be committed.
#[derive(Debug)]
pub(crate) struct Executed {
    pub(crate) step: u64,
    /// What was held for it.
    pub(crate) held: Spend,
    /// What it took.
    pub(crate) spend: Spend,
    pub(crate) findings: Findings,
}

/// What came of a step.
#[derive(Debug)]
pub(crate) enum Findings {
    /// Members were tried on examples of validation.
    Validated {
        validations: Vec<Validation>,
        /// For each of them, in the order of its examples.
        rollouts: Vec<Vec<Option<Arc<Rollout>>>>,
    },
    /// A member was to be improved.
    Mutated {
        parent: Index,
        /// What it did on examples that it had not been tried on.
        parent_rollouts: Vec<(usize, Arc<Rollout>)>,
        /// Whether texts were asked for.
        reflected: bool,
        verdict: Verdict,
    },
    /// Two members were to be joined.
    Merged { parents: [Index; 2], verdict: Verdict },
}

/// What came of a proposal.
#[derive(Debug)]
pub(crate) enum Verdict {
    Skipped(SkipReason),
    Failed(Failure),
    Refused(Refusal),
    Rejected(Child, Screen),
    Accepted {
        child: Child,
        screen: Screen,
        validation: Vec<Option<Arc<Rollout>>>,
    },
}

/// A proposal that was tried.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) candidate: Candidate,
    pub(crate) digest: CandidateDigest,
    /// Names of the components that are new.
    pub(crate) components: Vec<String>,
    /// What it did on the examples for training.
    pub(crate) train: HashMap<usize, Arc<Rollout>>,
}
