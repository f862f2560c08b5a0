//! A support agent that is made up: what it was asked, what it answered, and how well.

use pawl_model::{Json, NewInteraction, Score, UserId};
use serde_json::{Value, json};

use super::conversation::{Language, Topic};
use super::draw::Draw;
use super::{person, planted};

/// What is noticed while the data that the agent looks up is out of date.
pub(super) const INCIDENT_FLAG: &str = "stale_data";

/// How many times as long everything takes during an incident.
pub(super) const INCIDENT_SLOWNESS: f64 = 5.0;

const PRODUCTS: [&str; 6] = [
    "Kestrel 40",
    "Lumo S",
    "Nordia X2",
    "Piko Mini",
    "Terra 7",
    "Vela Duo",
];

/// How things are while the agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conditions {
    Usual,
    /// What it looks up is out of date, and slow.
    Incident,
}

/// How well it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quality {
    Good,
    Doubtful,
    Wrong,
}

/// The agent of a tenant. Its interaction of a number is a pure function of seed, number and conditions.
#[derive(Clone, Debug)]
pub struct SupportAgent {
    /// Whose it is.
    pub user_id: UserId,
    /// Decides everything but the ids.
    pub random_seed: u64,
    /// What ids begin with, before a hyphen and the number.
    pub session: String,
}

impl SupportAgent {
    /// The interaction of this number, without a time; one in 150 is of an incident.
    pub(super) fn interaction(&self, number: u32, conditions: Conditions) -> NewInteraction {
        let mut interaction = self.under(number, conditions);
        planted::plant(&mut interaction, self.random_seed, number);
        interaction
    }

    /// The interaction of this number, without a time, as on any day.
    #[must_use]
    pub fn everyday(&self, number: u32) -> NewInteraction {
        self.under(number, Conditions::Usual)
    }

    fn under(&self, number: u32, conditions: Conditions) -> NewInteraction {
        let mut draw = Draw::new(self.random_seed, u64::from(number));
        let (topic, language) = (Topic::draw(&mut draw), Language::draw(&mut draw));
        let quality = quality(topic, conditions, &mut draw);
        let calls = ToolCalls::draw(topic, conditions, &mut draw);
        let (prompt, response, is_personal) = say(topic, language, quality, &mut draw);
        NewInteraction {
            user_id: self.user_id,
            interaction_id: format!("{}-{number:06}", self.session),
            score: score(quality, &mut draw),
            latency_ms: Some(latency_ms(calls.count, conditions, &mut draw)),
            flags: Noticed {
                topic,
                quality,
                has_calls: calls.count > 0,
                is_personal,
                conditions,
            }
            .flags(&mut draw),
            prompt,
            response,
            pii_tokens_redacted: 0,
            created_at: None,
            sample_weight: None,
            tool_calls: calls.json,
            spans: None,
        }
    }
}

fn quality(topic: Topic, conditions: Conditions, draw: &mut Draw) -> Quality {
    let (wrong, doubtful) = match conditions {
        Conditions::Usual => (0.06 * topic.difficulty(), 0.14),
        Conditions::Incident => (0.55, 0.3),
    };
    let unit = draw.unit();
    if unit < wrong {
        Quality::Wrong
    } else if unit < wrong + doubtful {
        Quality::Doubtful
    } else {
        Quality::Good
    }
}

/// What is said: prompt, response, and whether something personal is in them.
fn say(topic: Topic, language: &Language, quality: Quality, draw: &mut Draw) -> (String, String, bool) {
    let texts = language.about(topic);
    let mut prompt = (*draw.one_of(&texts.questions)).to_owned();
    let mut response = match quality {
        Quality::Wrong => texts.mistake.to_owned(),
        Quality::Good => texts.answer.to_owned(),
        Quality::Doubtful => [texts.answer, language.doubts].join(" "),
    };
    let blanks = [
        ("{order}", format!("PX-{}", 10_000 + draw.below(90_000))),
        ("{product}", (*draw.one_of(&PRODUCTS)).to_owned()),
        (
            "{amount}",
            format!("{}.{}0 €", 9 + draw.below(290), draw.below(10)),
        ),
        ("{days}", (2 + draw.below(8)).to_string()),
    ];
    for (blank, value) in &blanks {
        prompt = prompt.replace(blank, value);
        response = response.replace(blank, value);
    }
    let is_personal = draw.happens(0.18);
    if is_personal {
        let sentence = *draw.one_of(language.personal);
        let (sentence, personal) = person::introduce(sentence, draw);
        prompt = [prompt, sentence].join(" ");
        if draw.happens(0.4) {
            let repeated = language.repeats.replace("{personal}", &personal);
            response = [response, repeated].join(" ");
        }
    }
    (prompt, response, is_personal)
}

/// A mixture of three normal ones, to the hundredth; one in 25 is not scored.
fn score(quality: Quality, draw: &mut Draw) -> Option<Score> {
    let (mean, deviation) = match quality {
        Quality::Good => (0.92, 0.05),
        Quality::Doubtful => (0.68, 0.09),
        Quality::Wrong => (0.27, 0.12),
    };
    let score = (mean + deviation * draw.normal()).clamp(0.0, 1.0);
    if draw.happens(0.04) {
        return None;
    }
    Score::parse(&format!("{score:.2}"))
}

/// Log-normal: the model's own time, and that of each tool.
fn latency_ms(tool_calls: usize, conditions: Conditions, draw: &mut Draw) -> i32 {
    let own = draw.log_normal(720.0, 0.4);
    let tools: f64 = (0..tool_calls).map(|_| draw.log_normal(480.0, 0.65)).sum();
    let slowness = match conditions {
        Conditions::Usual => 1.0,
        Conditions::Incident => INCIDENT_SLOWNESS,
    };
    // A few minutes at the very most.
    ((own + tools) * slowness).round().min(600_000.0) as i32
}

/// What there is to be noticed of an interaction.
struct Noticed {
    topic: Topic,
    quality: Quality,
    has_calls: bool,
    is_personal: bool,
    conditions: Conditions,
}

impl Noticed {
    fn flags(&self, draw: &mut Draw) -> Vec<String> {
        let mut flags = Vec::new();
        match self.quality {
            Quality::Good if draw.happens(0.5) => flags.push("safe"),
            Quality::Doubtful if draw.happens(0.7) => flags.push("low_confidence"),
            Quality::Wrong => {
                let wrong_tool = if self.has_calls { 16.0 } else { 0.0 };
                let noticed = *draw.weighted(&[
                    (Some("hallucination"), 44.0),
                    (Some("wrong_tool"), wrong_tool),
                    (Some("safety_violation"), 9.0),
                    (Some("low_confidence"), 15.0),
                    (Some("toxicity"), 2.0),
                    (None, 14.0),
                ]);
                flags.extend(noticed);
            }
            _ => {}
        }
        if self.topic == Topic::Manual && draw.happens(0.6) {
            flags.push("technical");
        }
        if self.is_personal && draw.happens(0.3) {
            flags.push("pii_found");
        }
        if self.conditions == Conditions::Incident && draw.happens(0.85) {
            flags.push(INCIDENT_FLAG);
        }
        flags.into_iter().map(str::to_owned).collect()
    }
}

/// The tools that were called.
struct ToolCalls {
    count: usize,
    json: Option<Json>,
}

impl ToolCalls {
    fn draw(topic: Topic, conditions: Conditions, draw: &mut Draw) -> Self {
        let (tool, probability) = topic.tool();
        if !draw.happens(probability) {
            return Self { count: 0, json: None };
        }
        let failing = match conditions {
            Conditions::Usual => 0.006,
            Conditions::Incident => 0.2,
        };
        let mut calls = vec![tool_call(tool, failing, draw)];
        if draw.happens(0.25) {
            calls.push(tool_call("search_articles", failing, draw));
        }
        Self {
            count: calls.len(),
            // Values of our own are always a document that can be stored.
            json: Json::from_serialize(&calls).ok(),
        }
    }
}

fn tool_call(name: &str, failing: f64, draw: &mut Draw) -> Value {
    let reference = format!("ref-{:05}", draw.below(100_000));
    let failed = draw.happens(failing);
    json!({
        "name": name,
        "arguments": { "reference": reference },
        "result": if failed { Value::Null } else { json!({ "found": 1 + draw.below(3) }) },
        "error": if failed { json!("no answer within 10 s") } else { Value::Null },
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn many(conditions: Conditions) -> Vec<NewInteraction> {
        let agent = SupportAgent {
            user_id: UserId(Uuid::nil()),
            random_seed: 3,
            session: "session".to_owned(),
        };
        (0..20_000).map(|n| agent.interaction(n, conditions)).collect()
    }

    fn mean_score<'i>(of: impl Iterator<Item = &'i NewInteraction>) -> f64 {
        let scores: Vec<f64> = of
            .filter_map(|one| one.score.as_ref().map(Score::as_f64))
            .collect();
        scores.iter().sum::<f64>() / scores.len() as f64
    }

    fn median_ms<'i>(of: impl Iterator<Item = &'i NewInteraction>) -> i32 {
        let mut all: Vec<i32> = of.filter_map(|one| one.latency_ms).collect();
        all.sort_unstable();
        all[all.len() / 2]
    }

    #[test]
    fn flags_and_scores_go_together_and_tools_take_time() {
        let many = many(Conditions::Usual);
        let with = |flag: &'static str| many.iter().filter(move |one| one.flags.iter().any(|f| f == flag));
        for flag in [
            "safe",
            "low_confidence",
            "hallucination",
            "safety_violation",
            "wrong_tool",
            "pii_found",
        ] {
            assert!(with(flag).count() > 50, "{flag}");
        }
        assert!(mean_score(with("safe")) > 0.9);
        assert!((0.5..0.75).contains(&mean_score(with("low_confidence"))));
        assert!(mean_score(with("hallucination")) < 0.35);
        assert!((0.8..0.9).contains(&mean_score(many.iter())));
        let unscored = many.iter().filter(|one| one.score.is_none()).count();
        assert!((600..1_000).contains(&unscored), "{unscored}");
        let by_tools = |called: bool| median_ms(many.iter().filter(|one| one.tool_calls.is_some() == called));
        assert!(by_tools(true) > by_tools(false) * 3 / 2);
        let of_tools = many
            .iter()
            .filter(|one| one.flags.iter().any(|flag| flag == "wrong_tool"));
        assert!(of_tools.into_iter().all(|one| one.tool_calls.is_some()));
    }

    #[test]
    fn no_blank_is_left_open() {
        for one in many(Conditions::Usual).iter().take(5_000) {
            assert!(
                !one.prompt.contains(['{', '}']) && !one.response.contains(['{', '}']),
                "{one:?}"
            );
        }
    }

    #[test]
    fn an_incident_is_slow_and_wrong_and_has_its_flag() {
        let (usual, incident) = (many(Conditions::Usual), many(Conditions::Incident));
        assert!(mean_score(incident.iter()) < mean_score(usual.iter()) - 0.25);
        assert!(median_ms(incident.iter()) > median_ms(usual.iter()) * 4);
        let flagged = |many: &[NewInteraction]| {
            many.iter()
                .filter(|one| one.flags.iter().any(|flag| flag == INCIDENT_FLAG))
                .count()
        };
        assert_eq!(flagged(&usual), 0);
        assert!(flagged(&incident) > 16_000);
    }
}
