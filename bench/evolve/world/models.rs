//! The made-up models: one that answers by the rules of a prompt, one that judges, one that proposes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use pawl_evolve::{Candidate, Cost, Evaluate, Failure, Reflect, Reflection, Reply, ReplyEnd, Rollout, Trial};

use super::chance::{gauss, hash_order, number, rounded, unit};
use super::{Asked, Params, World, component_of};

/// A metric call is what dollars are counted in.
const METRIC_CALL: Cost = Cost {
    tokens: 0,
    usd_nanos: 1,
};
const REFLECTION: Cost = Cost {
    tokens: 0,
    usd_nanos: 10,
};

/// Whether a style can express a slot.
pub(super) fn reachable(slot: &str, style: u64, params: &Params) -> bool {
    params.styles == 1 || unit(&format!("reach\u{1f}{slot}\u{1f}{style}")) < params.reach
}

pub(super) fn render(component: &str, rules: &BTreeMap<String, String>, style: Option<u64>) -> String {
    let mut lines = vec![format!("COMPONENT {component}")];
    lines.extend(style.map(|style| format!("STYLE s{style}")));
    lines.push("Follow every rule below.".to_owned());
    lines.extend(rules.iter().map(|(slot, value)| format!("RULE {slot} = {value}")));
    lines.join("\n")
}

/// The rules of a text.
fn parse(text: &str) -> BTreeMap<String, String> {
    let rule = |line: &str| {
        let (slot, value) = line.strip_prefix("RULE ")?.split_once(" = ")?;
        Some((slot.to_owned(), value.to_owned()))
    };
    text.lines().filter_map(rule).collect()
}

/// What a prompt says, read once for many examples.
pub(super) struct Rules {
    values: BTreeMap<String, String>,
    factor: f64,
    over: Vec<(&'static str, usize)>,
}

impl Rules {
    pub(super) fn of(candidate: &Candidate, params: &Params) -> Self {
        let texts = candidate
            .components()
            .iter()
            .map(|component| parse(&component.text));
        let values: BTreeMap<String, String> = texts.flatten().collect();
        let (mut factor, mut over) = (1.0, Vec::new());
        for component in params.components {
            let load = values
                .keys()
                .filter(|slot| component_of(slot) == *component)
                .count();
            let extra = load.saturating_sub(params.capacity);
            if extra > 0 {
                over.push((*component, extra));
            }
            factor *= (1.0 - params.penalty * extra as f64).max(0.0);
        }
        Self { values, factor, over }
    }
}

/// Answers by the rules, and judges the answer: score, dimensions, and feedback that names one missing value.
pub(super) fn judge(rules: &Rules, asked: &Asked, params: &Params, noise: f64) -> Rollout {
    let right = |slot: &String| rules.values.get(slot) == asked.need.get(slot);
    let missed: Vec<&String> = asked.order.iter().filter(|slot| !right(slot)).collect();
    let need = asked.need.len();
    let raw = (need - missed.len()) as f64 / need as f64 * rules.factor + noise;
    let raw = raw.clamp(0.0, 1.0);
    let score = match params.bar {
        None => rounded(raw),
        Some(bar) => f64::from(u8::from(raw >= bar - 1e-9)),
    };
    let mut dimensions = BTreeMap::new();
    for component in params.components {
        let mine: Vec<&String> = asked
            .need
            .keys()
            .filter(|slot| component_of(slot) == *component)
            .collect();
        let share = match mine.len() {
            0 => 1.0,
            count => mine.iter().filter(|slot| right(slot)).count() as f64 / count as f64,
        };
        dimensions.insert((*component).to_owned(), rounded((share + noise).clamp(0.0, 1.0)));
    }
    dimensions.insert("brevity".to_owned(), rounded(rules.factor));
    let mut parts = Vec::new();
    if !missed.is_empty() {
        let hints = missed
            .iter()
            .take(params.hints)
            .map(|slot| format!("[[set {slot}={}]]", asked.hints[*slot]));
        let hints: Vec<String> = hints.collect();
        parts.push(format!(
            "The answer used wrong or missing settings. {}",
            hints.join(" ")
        ));
    }
    if !rules.over.is_empty() {
        let over = rules
            .over
            .iter()
            .map(|(component, extra)| format!("[[over {component} {extra}]]"));
        parts.push(format!(
            "The instructions are too long. {}",
            over.collect::<Vec<_>>().join(" ")
        ));
    }
    if parts.is_empty() {
        parts.push("All checks passed.".to_owned());
    }
    Rollout {
        score,
        dimensions,
        feedback: parts.join(" "),
        trace: serde_json::Value::Null,
        cost: METRIC_CALL,
        ..Rollout::default()
    }
}

/// Tries candidates in a world, and counts.
pub(crate) struct Tries<'a> {
    pub(crate) world: &'a World,
    pub(crate) calls: AtomicU64,
}

impl<'a> Tries<'a> {
    pub(crate) fn new(world: &'a World) -> Self {
        Self {
            world,
            calls: AtomicU64::new(0),
        }
    }

    pub(crate) fn rollout(&self, trial: Trial<'_>) -> Rollout {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let (world, params) = (self.world, &self.world.params);
        let asked = world.asked(trial.split, &trial.example.id);
        let noise = if params.sigma > 0.0 {
            let texts: Vec<&str> = trial
                .candidate
                .components()
                .iter()
                .map(|one| one.text.as_str())
                .collect();
            let prompt = texts.join("\n\n");
            let (seed, id, repetition) = (world.seed, &asked.id, trial.repetition);
            params.sigma
                * gauss(&format!(
                    "noise\u{1f}{seed}\u{1f}{prompt}\u{1f}{id}\u{1f}{repetition}"
                ))
        } else {
            0.0
        };
        judge(&Rules::of(trial.candidate, params), asked, params, noise)
    }
}

impl Evaluate for Tries<'_> {
    async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
        Ok(self.rollout(trial))
    }

    fn at_most(&self) -> Option<Cost> {
        Some(METRIC_CALL)
    }
}

/// Proposes texts in a world: applies one or two of the values that feedback names, forgets rules, and errs.
///
/// It depends on the set of rules and the multiset of hints alone, not on how it is asked.
pub(crate) struct Reflector<'a> {
    pub(crate) world: &'a World,
    pub(crate) seed: u64,
    pub(crate) calls: AtomicU64,
}

impl<'a> Reflector<'a> {
    pub(crate) fn new(world: &'a World, seed: u64) -> Self {
        Self {
            world,
            seed,
            calls: AtomicU64::new(0),
        }
    }

    /// The text that is proposed for a component with this text, after such feedback.
    pub(crate) fn proposal<'f>(&self, text: &str, feedback: impl Iterator<Item = &'f str>) -> String {
        let params = &self.world.params;
        let component = text
            .lines()
            .find_map(|line| line.strip_prefix("COMPONENT "))
            .unwrap_or_default();
        let style = text
            .lines()
            .find_map(|line| line.strip_prefix("STYLE s")?.parse().ok());
        let rules = parse(text);
        let (hints, over) = heard(component, feedback);
        let mut idea = Idea::new(
            self.seed,
            params,
            component,
            &rules,
            &hints,
            over,
            style.unwrap_or(0),
        );
        idea.restyle();
        let new = idea.apply(&rules, &hints, over);
        render(component, &new, (params.styles > 1).then_some(idea.style))
    }
}

type Hints = BTreeMap<(String, String), usize>;

/// Values that feedback names for a component, each with how often, and by how many rules it is too long.
fn heard<'f>(component: &str, feedback: impl Iterator<Item = &'f str>) -> (Hints, usize) {
    let (mut hints, mut over) = (Hints::new(), 0);
    for mark in feedback.flat_map(|text| text.split("[[").skip(1)) {
        let mark = mark.split("]]").next().unwrap_or_default();
        if let Some((slot, value)) = mark.strip_prefix("set ").and_then(|mark| mark.split_once('=')) {
            if component_of(slot) == component {
                *hints.entry((slot.to_owned(), value.to_owned())).or_default() += 1;
            }
        } else if let Some((name, extra)) = mark.strip_prefix("over ").and_then(|mark| mark.split_once(' '))
            && name == component
        {
            over = over.max(extra.parse().unwrap_or(0));
        }
    }
    (hints, over)
}

/// How a proposal comes about.
struct Idea<'a> {
    params: &'a Params,
    component: &'a str,
    key: String,
    style: u64,
}

impl<'a> Idea<'a> {
    #[expect(clippy::too_many_arguments, reason = "what the hash is of")]
    fn new(
        seed: u64,
        params: &'a Params,
        component: &'a str,
        rules: &BTreeMap<String, String>,
        hints: &Hints,
        over: usize,
        style: u64,
    ) -> Self {
        let rules: Vec<String> = rules
            .iter()
            .map(|(slot, value)| format!("{slot}={value}"))
            .collect();
        let hints: Vec<String> = hints
            .iter()
            .map(|((slot, value), count)| format!("{slot}={value}*{count}"))
            .collect();
        let (rules, hints) = (rules.join(","), hints.join(","));
        let key = format!(
            "reflect\u{1f}{seed}\u{1f}{component}\u{1f}{rules}\u{1f}{hints}\u{1f}{over}\u{1f}{style}"
        );
        Self {
            params,
            component,
            key,
            style,
        }
    }

    fn key(&self, purpose: &str) -> String {
        format!("{}\u{1f}{purpose}", self.key)
    }

    fn restyle(&mut self) {
        let styles = self.params.styles;
        if styles > 1 && unit(&self.key("restyle")) < self.params.restyle {
            self.style = (self.style + 1 + number(&self.key("newstyle")) % (styles - 1)) % styles;
        }
    }

    /// For each slot the value that was named most.
    fn wanted(&self, hints: &Hints) -> BTreeMap<String, String> {
        let mut options: BTreeMap<&str, (usize, u64, &str)> = BTreeMap::new();
        for ((slot, value), count) in hints {
            if reachable(slot, self.style, self.params) {
                let tie = number(&format!("{}\u{1f}{slot}\u{1f}{value}", self.key("tie")));
                let option = (*count, tie, value.as_str());
                let best = options.entry(slot).or_insert(option);
                *best = option.max(*best);
            }
        }
        options
            .into_iter()
            .map(|(slot, (_, _, value))| (slot.to_owned(), value.to_owned()))
            .collect()
    }

    fn apply(
        &self,
        rules: &BTreeMap<String, String>,
        hints: &Hints,
        over: usize,
    ) -> BTreeMap<String, String> {
        let params = self.params;
        let wanted = self.wanted(hints);
        let todo = wanted
            .iter()
            .filter(|(slot, value)| rules.get(*slot) != Some(value));
        let mut edits = hash_order(todo.map(|(slot, _)| slot.clone()).collect(), &self.key("pick"));
        edits.truncate(1 + (number(&self.key("k")) % params.max_edits) as usize);
        let mut new: BTreeMap<String, String> = rules
            .iter()
            .filter(|(slot, _)| reachable(slot, self.style, params))
            .map(|(slot, value)| (slot.clone(), value.clone()))
            .collect();
        for slot in &edits {
            new.insert(slot.clone(), wanted[slot].clone());
        }
        if over > 0 {
            let others = new
                .keys()
                .filter(|slot| !wanted.contains_key(*slot))
                .cloned()
                .collect();
            for slot in hash_order(others, &self.key("shed")).iter().take(over.min(2)) {
                new.remove(slot);
            }
        }
        if unit(&self.key("forget")) < params.forget {
            let others = new.keys().filter(|slot| !edits.contains(slot)).cloned().collect();
            if let Some(slot) = hash_order(others, &self.key("drop")).first() {
                new.remove(slot);
            }
        }
        if unit(&self.key("garble")) < params.garble || new == *rules {
            let slot = format!(
                "{}.r{:02}",
                self.component,
                number(&self.key("gslot")) % params.slots
            );
            if reachable(&slot, self.style, params) {
                new.insert(slot, format!("v{}", number(&self.key("gval")) % params.values));
            }
        }
        new
    }
}

impl Reflect for Reflector<'_> {
    async fn reflect(&self, reflection: Reflection<'_>) -> Result<Reply, Failure> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let feedback = reflection
            .records
            .iter()
            .map(|record| record.rollout.feedback.as_str());
        let text = self.proposal(reflection.current_text(), feedback);
        Ok(Reply {
            text: format!("Here is the improved text.\n```\n{text}\n```"),
            end: ReplyEnd::Complete,
            cost: REFLECTION,
        })
    }

    fn at_most(&self) -> Option<Cost> {
        Some(REFLECTION)
    }
}
