//! A run, from its seed to its report.

use futures::StreamExt as _;
use futures::stream::FuturesOrdered;

use crate::call::{Caller, Halt};
use crate::control::Control;
use crate::error::EvolveError;
use crate::evaluate::Evaluate;
use crate::event::Event;
use crate::example::Task;
use crate::forecast::Forecast;
use crate::journal::Journal;
use crate::ledger::Finish;
use crate::plan::Executed;
use crate::reflect::Reflect;
use crate::report::Report;
use crate::search::Search;
use crate::settings::{Rules, Settings, Validation};
use crate::tried::Tried;

/// Everything that a run needs.
#[derive(Debug)]
pub struct Run<'a, E, R, J> {
    /// What is to be done.
    pub task: &'a Task,
    /// How.
    pub settings: &'a Settings,
    /// Who tries candidates.
    pub evaluate: &'a E,
    /// Who proposes texts.
    pub reflect: &'a R,
    /// What remembers it.
    pub journal: &'a J,
    /// Who watches and stops it.
    pub control: Control<'a>,
}

impl<E: Evaluate, R: Reflect, J: Journal> Run<'_, E, R, J> {
    /// What the limits buy.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        let (metric_call, reflection) = (self.evaluate.at_most(), self.reflect.at_most());
        let cost = |cost: Option<_>| cost.unwrap_or_default();
        Forecast::new(self.task, self.settings, cost(metric_call), cost(reflection))
    }

    /// Evolves the seed until a limit is reached, and chooses the best of what was found. Where the journal has something
    /// of this run, it goes on from there.
    ///
    /// The future may be dropped at any time, as by a kill: the journal has what is needed to go on.
    ///
    /// # Errors
    /// [`EvolveError::Settings`], [`EvolveError::BuysNothing`] and [`EvolveError::UnknownCost`] before anything is called;
    /// [`EvolveError::Preflight`] where the seed cannot even be tried once; [`EvolveError::OtherRun`] where the journal is
    /// another run's; [`EvolveError::Journal`] at any time.
    pub async fn evolve(&self) -> Result<Report, EvolveError<J::Error>> {
        let forecast = self.forecast();
        self.refuse(&forecast)?;
        let opened = self.journal.open().await.map_err(EvolveError::Journal)?;
        (self.control.observer)(&Event::Began {
            forecast: &forecast,
            committed: opened.committed,
        });
        let caller = Caller::new(self, opened.committed);
        let mut search = Search::new(self.task, self.settings, &forecast, opened);
        let finish = self.search(&caller, &mut search, opened.committed).await?;
        search.lose(caller.take_lost());
        (self.control.observer)(&Event::Ended { finish: &finish });
        Ok(search.report(finish))
    }

    /// Plans, executes and commits steps; up to L of them are under way.
    async fn search(
        &self,
        caller: &Caller<'_, E, R, J>,
        search: &mut Search<'_>,
        committed: u64,
    ) -> Result<Finish, EvolveError<J::Error>> {
        let mut under_way = FuturesOrdered::new();
        loop {
            while under_way.len() < self.settings.look_ahead {
                search.lose(caller.take_lost());
                let Some(plan) = search.next(under_way.len(), caller.stopped()) else {
                    break;
                };
                (self.control.observer)(&Event::Planned {
                    step: plan.step,
                    kind: search.kind(&plan),
                });
                under_way.push_back(caller.execute(plan));
            }
            let executed = match under_way.next().await {
                None => return Ok(search.finish()),
                Some(Ok(executed)) => executed,
                Some(Err(halt)) => {
                    // What is under way begins no further call; its answers are worth keeping.
                    while under_way.next().await.is_some() {}
                    return match halt {
                        Halt::Journal(error) => Err(EvolveError::Journal(error)),
                        Halt::Preflight(failure) => Err(EvolveError::Preflight(failure)),
                        Halt::OtherRun { step } => Err(EvolveError::OtherRun { step }),
                        Halt::Finish(finish) => Ok(finish),
                    };
                }
            };
            self.commit(executed, &caller.tried, search, committed).await?;
        }
    }

    async fn commit(
        &self,
        executed: Executed,
        tried: &Tried,
        search: &mut Search<'_>,
        committed: u64,
    ) -> Result<(), EvolveError<J::Error>> {
        let commit = search.commit(executed, tried);
        if commit.step >= committed {
            self.journal.commit(&commit).await.map_err(EvolveError::Journal)?;
        }
        (self.control.observer)(&Event::Committed {
            commit: &commit,
            view: search.view(),
        });
        Ok(())
    }

    /// Refuses what [`Run::evolve`] would refuse before anything is called.
    ///
    /// # Errors
    /// [`EvolveError::Settings`], [`EvolveError::BuysNothing`] and [`EvolveError::UnknownCost`].
    pub fn check(&self) -> Result<(), EvolveError<J::Error>> {
        self.refuse(&self.forecast())
    }

    fn refuse(&self, forecast: &Forecast) -> Result<(), EvolveError<J::Error>> {
        let Settings { limits, rules, .. } = self.settings;
        let wrong = |what: &str| Err(EvolveError::Settings(what.to_owned()));
        if self.settings.look_ahead == 0 {
            return wrong("a look-ahead of 0 plans nothing");
        }
        if self.settings.minibatch == 0 {
            return wrong("a minibatch of 0 teaches nothing");
        }
        if self.settings.parents.iter().all(|source| source.weight == 0) {
            return wrong("there is no source of parents");
        }
        if matches!(self.settings.validation, Validation::Growing(growth) if growth.block == 0 || growth.finalists == 0)
        {
            return wrong("a part of 0 examples or 0 finalists decides nothing");
        }
        if *rules == Rules::Reference && self.settings.look_ahead != 1 {
            return wrong("the reference looks ahead by one step only");
        }
        let unlimited = limits.metric_calls.is_none()
            && limits.reflections.is_none()
            && limits.tokens.is_none()
            && limits.usd_nanos.is_none()
            && limits.time.is_none();
        if unlimited {
            return wrong("nothing limits calls, reflections, tokens, dollars or time");
        }
        if limits.tokens.is_some() || limits.usd_nanos.is_some() {
            for (call, cost) in [
                ("a metric call", self.evaluate.at_most()),
                ("a reflection", self.reflect.at_most()),
            ] {
                if cost.is_none() {
                    return Err(EvolveError::UnknownCost { call });
                }
            }
        }
        if *rules == Rules::Strict && forecast.proposals_at_least == Some(0) {
            let needed = forecast.one_proposal();
            return Err(EvolveError::BuysNothing { needed });
        }
        Ok(())
    }
}
