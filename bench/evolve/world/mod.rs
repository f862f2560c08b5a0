//! A made-up task with made-up models, all of whose chances are hashes: whoever ports it gets the same numbers.
//!
//! A prompt is text with lines `RULE component.slot = value`. An example asks for a few slots. Some slots have one right
//! value (*shared*), on some two camps of examples disagree (*contested*), and some only one cluster of examples asks for
//! (*local*). Above a component's capacity every rule costs all examples a little. So there are specialists, and nobody can
//! win everywhere. In the *trap* presets a text has a style that reaches a part of the slots only: to change it costs score
//! first.

#![allow(dead_code, reason = "each program that includes this uses a part of it")]

mod chance;
mod models;

use std::collections::BTreeMap;

use chance::{hash_order, number, unit};
use pawl_evolve::{Candidate, Example, Split, Task};

pub(crate) use models::{Reflector, Tries};

/// What is different about a preset.
#[derive(Clone, Debug)]
pub(crate) struct Params {
    pub(crate) components: &'static [&'static str],
    pub(crate) slots: u64,
    pub(crate) values: u64,
    pub(crate) clusters: usize,
    pub(crate) need: usize,
    pub(crate) capacity: usize,
    pub(crate) penalty: f64,
    /// Scores are passes and failures from this bar on; graded where there is none.
    pub(crate) bar: Option<f64>,
    pub(crate) seed_rules: usize,
    pub(crate) hints: usize,
    pub(crate) mislead: f64,
    pub(crate) sigma: f64,
    pub(crate) max_edits: u64,
    pub(crate) forget: f64,
    pub(crate) garble: f64,
    pub(crate) styles: u64,
    pub(crate) reach: f64,
    pub(crate) restyle: f64,
    pub(crate) sizes: [usize; 3],
}

/// Presets that are measured, and two more that only parity looks at.
pub(crate) const MEASURED: [&str; 6] = ["graded", "binary", "trap", "trap_binary", "noisy", "noisy_binary"];

impl Params {
    /// Those of a preset, if there is one of that name.
    pub(crate) fn preset(name: &str) -> Option<Self> {
        let graded = Self {
            components: &["planner", "writer"],
            slots: 20,
            values: 4,
            clusters: 6,
            need: 5,
            capacity: 14,
            penalty: 0.03,
            bar: None,
            seed_rules: 8,
            hints: 1,
            mislead: 0.3,
            sigma: 0.0,
            max_edits: 2,
            forget: 0.5,
            garble: 0.15,
            styles: 1,
            reach: 1.0,
            restyle: 0.0,
            sizes: [60, 60, 300],
        };
        let trap = Self {
            styles: 4,
            reach: 0.35,
            restyle: 0.15,
            ..graded.clone()
        };
        Some(match name {
            "graded" => graded,
            "binary" => Self {
                bar: Some(0.55),
                ..graded
            },
            "noisy" => Self {
                sigma: 0.15,
                ..graded
            },
            "noisy_binary" => Self {
                bar: Some(0.55),
                sigma: 0.15,
                ..graded
            },
            "easy" => Self {
                components: &["main"],
                capacity: 99,
                mislead: 0.0,
                forget: 0.0,
                garble: 0.0,
                ..graded
            },
            "trap" => trap,
            "trap_binary" => Self {
                bar: Some(0.35),
                ..trap
            },
            "hostile" => Self {
                mislead: 0.4,
                forget: 0.8,
                garble: 0.4,
                ..graded
            },
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Shared,
    Contested,
    Local(usize),
}

/// An example: slots with their right values, with values that feedback names, and in the order in which it does.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    id: String,
    need: BTreeMap<String, String>,
    hints: BTreeMap<String, String>,
    order: Vec<String>,
}

/// A task with all that is true of it.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) params: Params,
    pub(crate) seed: u64,
    kinds: BTreeMap<String, Kind>,
    train: Vec<Asked>,
    validation: Vec<Asked>,
    test: Vec<Asked>,
}

impl World {
    pub(crate) fn new(params: Params, seed: u64) -> Self {
        let mut world = Self {
            seed,
            kinds: BTreeMap::new(),
            train: Vec::new(),
            validation: Vec::new(),
            test: Vec::new(),
            params,
        };
        world.draw_kinds();
        let [train, validation, test] = world.params.sizes;
        let split = |name: &str, size: usize| (0..size).map(|nth| world.example(name, nth)).collect();
        let (train, validation, test) = (
            split("train", train),
            split("val", validation),
            split("test", test),
        );
        Self {
            train,
            validation,
            test,
            ..world
        }
    }

    fn draw_kinds(&mut self) {
        for component in self.params.components {
            let names = (0..self.params.slots)
                .map(|slot| format!("{component}.r{slot:02}"))
                .collect();
            let order = hash_order(names, &format!("kind\u{1f}{}", self.seed));
            let share = |part: f64| (part * order.len() as f64).round() as usize;
            let (shared, contested) = (share(0.30), share(0.25));
            for (place, slot) in order.into_iter().enumerate() {
                let kind = if place < shared {
                    Kind::Shared
                } else if place < shared + contested {
                    Kind::Contested
                } else {
                    Kind::Local((place - shared - contested) % self.params.clusters)
                };
                self.kinds.insert(slot, kind);
            }
        }
    }

    fn right_value(&self, slot: &str, cluster: usize) -> String {
        let shift = u64::from(self.kinds[slot] == Kind::Contested && cluster % 2 == 1);
        let base = number(&format!("value\u{1f}{}\u{1f}{slot}", self.seed)) % self.params.values;
        format!("v{}", (base + shift) % self.params.values)
    }

    fn example(&self, split: &str, nth: usize) -> Asked {
        let (params, id) = (&self.params, format!("{split}-{nth:04}"));
        let cluster = nth % params.clusters;
        let key = |purpose: &str| format!("{purpose}\u{1f}{}\u{1f}{id}", self.seed);
        let pick = |wanted: &dyn Fn(Kind) -> bool| {
            let slots = self
                .kinds
                .iter()
                .filter(|(_, kind)| wanted(**kind))
                .map(|(slot, _)| slot.clone());
            hash_order(slots.collect(), &key("pick"))
        };
        let mut local = pick(&|kind| kind == Kind::Local(cluster));
        let mut contested = pick(&|kind| kind == Kind::Contested);
        let shared = pick(&|kind| kind == Kind::Shared);
        let mut chosen: Vec<String> = local.drain(..1.min(local.len())).collect();
        chosen.extend(contested.drain(..1.min(contested.len())));
        let rest = hash_order([local, contested, shared].concat(), &key("rest"));
        chosen.extend(rest);
        chosen.truncate(params.need);
        chosen.sort();
        let need: BTreeMap<String, String> = chosen
            .iter()
            .map(|slot| (slot.clone(), self.right_value(slot, cluster)))
            .collect();
        let hints = need
            .iter()
            .map(|(slot, value)| (slot.clone(), self.hint(&key, slot, value)))
            .collect();
        let order = hash_order(chosen, &key("order"));
        Asked {
            id,
            need,
            hints,
            order,
        }
    }

    fn hint(&self, key: &dyn Fn(&str) -> String, slot: &str, value: &str) -> String {
        if unit(&format!("{}\u{1f}{slot}", key("mislead"))) >= self.params.mislead {
            return value.to_owned();
        }
        let right: u64 = value[1..].parse().unwrap_or(0);
        let shift = number(&format!("{}\u{1f}{slot}", key("wrong"))) % (self.params.values - 1);
        format!("v{}", (right + 1 + shift) % self.params.values)
    }

    /// The candidate to begin with: a few rules a component, half of them right.
    pub(crate) fn seed_candidate(&self) -> Candidate {
        let texts = self
            .params
            .components
            .iter()
            .map(|component| (*component, self.seed_text(component)));
        Candidate::new(texts).expect("components of different names")
    }

    fn seed_text(&self, component: &str) -> String {
        let mine = self
            .kinds
            .keys()
            .filter(|slot| component_of(slot) == component)
            .cloned()
            .collect();
        let names = hash_order(mine, &format!("seedpick\u{1f}{}", self.seed));
        let mut rules = BTreeMap::new();
        for slot in names.into_iter().take(self.params.seed_rules) {
            let value = if unit(&format!("seedright\u{1f}{}\u{1f}{slot}", self.seed)) < 0.5 {
                self.right_value(&slot, 0)
            } else {
                let value = number(&format!("seedval\u{1f}{}\u{1f}{slot}", self.seed));
                format!("v{}", value % self.params.values)
            };
            if models::reachable(&slot, 0, &self.params) {
                rules.insert(slot, value);
            }
        }
        models::render(component, &rules, (self.params.styles > 1).then_some(0))
    }

    /// The task as an optimiser sees it. Ids are places in their split, as the reference has them.
    pub(crate) fn task(&self) -> Task {
        let examples = |asked: &[Asked]| -> Vec<Example> {
            let input =
                |asked: &Asked| format!("ASK {}", asked.need.keys().cloned().collect::<Vec<_>>().join(","));
            asked
                .iter()
                .enumerate()
                .map(|(nth, asked)| Example::new(nth.to_string(), input(asked)))
                .collect()
        };
        Task::new(
            self.seed_candidate(),
            examples(&self.train),
            examples(&self.validation),
        )
        .expect("ids of different examples")
    }

    fn asked(&self, split: Split, id: &str) -> &Asked {
        let nth: usize = id.parse().expect("a place");
        match split {
            Split::Train => &self.train[nth],
            Split::Validation => &self.validation[nth],
        }
    }

    /// The mean on the test's examples, without noise.
    pub(crate) fn test_score(&self, candidate: &Candidate) -> f64 {
        let rules = models::Rules::of(candidate, &self.params);
        let score = |asked: &Asked| models::judge(&rules, asked, &self.params, 0.0).score;
        self.test.iter().map(score).sum::<f64>() / self.test.len() as f64
    }
}

fn component_of(slot: &str) -> &str {
    slot.split('.').next().unwrap_or(slot)
}
