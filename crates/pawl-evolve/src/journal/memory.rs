//! A journal in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Answer, Call, Journal, Opened, Proposal};
use crate::candidate::CandidateDigest;
use crate::commit::{Commit, DECISION};
use crate::rollout::{Cost, Spend};

/// Remembers a run in memory, and whole runs in a file: its contents can be written and read by serde.
///
/// It is also the model of what a journal in a database does.
#[derive(Debug, Default)]
pub struct MemoryJournal(Mutex<JournalContents>);

/// All that a journal holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JournalContents {
    /// Candidates in the order in which they were proposed first.
    pub proposals: Vec<Proposal>,
    /// Calls that were begun, in the order of their keys.
    pub calls: Vec<(Call, CallState)>,
    /// Steps that are decided.
    pub commits: Vec<Commit>,
    /// What was spent on calls that had to be begun again.
    pub lost: Spend,
    #[serde(skip)]
    proposed: BTreeSet<(u64, CandidateDigest)>,
    #[serde(skip)]
    index: BTreeMap<Call, usize>,
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// It may have taken this.
    Begun(Cost),
    /// It has an answer.
    Finished(Answer),
}

impl MemoryJournal {
    /// Goes on with what another one held.
    #[must_use]
    pub fn with(mut contents: JournalContents) -> Self {
        let calls = contents.calls.iter().enumerate();
        contents.index = calls.map(|(place, (call, _))| (call.clone(), place)).collect();
        let proposals = contents.proposals.iter();
        contents.proposed = proposals.map(|one| (one.step, one.candidate.digest())).collect();
        Self(Mutex::new(contents))
    }

    /// A copy of all that it holds.
    #[must_use]
    pub fn contents(&self) -> JournalContents {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, JournalContents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalContents {
    fn state(&mut self, call: &Call) -> Option<&mut CallState> {
        let place = *self.index.get(call)?;
        self.calls.get_mut(place).map(|(_, state)| state)
    }
}

fn spend(call: &Call, cost: Cost) -> Spend {
    match call.subject {
        super::Subject::Rollout { .. } => Spend::metric_call(cost),
        super::Subject::Reflection { .. } => Spend::reflection(cost),
    }
}

impl Journal for MemoryJournal {
    type Error = Infallible;

    async fn open(&self) -> Result<Opened, Infallible> {
        let contents = self.lock();
        let in_flight = contents.calls.iter().filter_map(|(call, state)| match state {
            CallState::Begun(at_most) => Some(spend(call, *at_most)),
            CallState::Finished(_) => None,
        });
        Ok(Opened {
            committed: contents
                .commits
                .iter()
                .filter(|commit| commit.step < DECISION)
                .count() as u64,
            lost: in_flight.fold(contents.lost, |sum, spend| sum + spend),
        })
    }

    async fn recall(&self, call: &Call) -> Result<Option<Answer>, Infallible> {
        Ok(match self.lock().state(call) {
            Some(CallState::Finished(answer)) => Some(answer.clone()),
            _ => None,
        })
    }

    async fn propose(&self, proposal: &Proposal) -> Result<(), Infallible> {
        let mut contents = self.lock();
        if contents
            .proposed
            .insert((proposal.step, proposal.candidate.digest()))
        {
            contents.proposals.push(proposal.clone());
        }
        Ok(())
    }

    async fn begin(&self, call: &Call, at_most: Cost) -> Result<(), Infallible> {
        let mut contents = self.lock();
        if let Some(state) = contents.state(call) {
            let before = match state {
                CallState::Begun(at_most) => *at_most,
                CallState::Finished(answer) => answer.cost(),
            };
            *state = CallState::Begun(at_most);
            contents.lost += spend(call, before);
        } else {
            let place = contents.calls.len();
            contents.index.insert(call.clone(), place);
            contents.calls.push((call.clone(), CallState::Begun(at_most)));
        }
        Ok(())
    }

    async fn finish(&self, call: &Call, answer: &Answer) -> Result<(), Infallible> {
        if let Some(state) = self.lock().state(call) {
            *state = CallState::Finished(answer.clone());
        }
        Ok(())
    }

    async fn commit(&self, commit: &Commit) -> Result<(), Infallible> {
        let commits = &mut self.lock().commits;
        while commits.last().is_some_and(|last| last.step >= commit.step) {
            commits.pop();
        }
        commits.push(commit.clone());
        Ok(())
    }
}
