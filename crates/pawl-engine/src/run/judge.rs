//! Asking the judges of a run: models for words, and vectors for how near texts are.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use futures::StreamExt as _;
use pawl_checks::Subject;
use pawl_checks::judge::{Asked, Opinion, Opinions, Question, QuestionKind};
use pawl_checks::similarity;
use pawl_model::{Cost, TargetOutput, Usd};
use pawl_providers::{ChatModel, Embedder, ModelSpec, Models};
use pawl_store::response_cache::CachedResponse;
use serde_json::{Value, json};

use super::cache::{Cache, Lookup};
use super::plan::RunRequest;
use super::suite::{Case, ContentDigest, Need, Needs, Skill, Suite};
use crate::EngineError;
use crate::examination::{Examination, no_answer};

/// Questions about one output that are asked at once.
const CONCURRENT_QUESTIONS: usize = 4;
/// `provider` of a `similar` check that is to be judged by the words in common, without a model.
const LEXICAL: &str = "lexical";

/// The judges that the checks of a suite need.
#[derive(Debug, Default)]
pub(crate) struct Judges {
    judges: BTreeMap<Need, Judge>,
    timeout: Duration,
}

enum Judge {
    Words(ChatModel),
    Vectors(Embedder),
    Lexical,
}

/// What the judges said of one output.
#[derive(Default)]
pub(crate) struct Judgement {
    pub(crate) opinions: Opinions,
    /// How many requests were made, and what they cost together where that is known.
    pub(crate) calls: u32,
    pub(crate) cost: Option<Usd>,
    /// Opinions that are to be kept.
    pub(crate) kept: Vec<CachedResponse>,
}

/// The output that is to be judged, and whose it is.
pub(crate) struct About<'a> {
    pub(crate) case: &'a Case,
    pub(crate) trial: u16,
    pub(crate) output: &'a TargetOutput,
}

/// An opinion and what it took.
struct Answered {
    question: Question,
    opinion: Result<Opinion, String>,
    calls: u32,
    cost: Cost,
    kept: Option<CachedResponse>,
}

impl Judges {
    /// Finds a judge for each check that needs one: the model that the check names, else the caller, else the suite, else
    /// the first provider that there is a key for.
    pub(crate) fn find(request: &RunRequest, suite: &Suite, needs: &Needs) -> Result<Self, EngineError> {
        let mut judges = BTreeMap::new();
        needs.each(|need| {
            match find(need, request, suite) {
                Ok(judge) => drop(judges.insert(need.clone(), judge)),
                // Sentences of a rubric are left open where nobody was named.
                Err(_) if need.is_optional && request.judge.is_none() => {}
                Err(why) => return Err(why),
            }
            Ok(())
        })?;
        Ok(Self {
            judges,
            timeout: request.timeout,
        })
    }

    /// The models, each once.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.judges.values().map(Judge::name).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Asks everything that the checks of a case want to know about an output.
    pub(crate) async fn judge(&self, about: About<'_>, cache: &Cache) -> Judgement {
        let questions: HashSet<&Question> = about.case.grading.questions().collect();
        if questions.is_empty() {
            return Judgement::default();
        }
        let subject = Subject::new(&about.output.output).with_tool_calls(about.output.tool_calls.as_ref());
        let material = Material {
            trial: about.trial,
            input: match about.case.input() {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
            output: subject.text().to_owned(),
            tools_called: subject
                .tool_calls()
                .map(|calls| calls.iter().map(|call| call.name.clone()).collect()),
        };
        // What is left open has no opinion at all.
        let asked: Vec<_> = questions
            .into_iter()
            .filter(|question| !question.is_optional() || self.judges.contains_key(&Need::of(question)))
            .map(|question| self.find_out(question, &material, cache))
            .collect();
        let mut answers = futures::stream::iter(asked).buffer_unordered(CONCURRENT_QUESTIONS);
        let mut judgement = Judgement {
            cost: Some(Usd::ZERO),
            ..Judgement::default()
        };
        while let Some(answered) = answers.next().await {
            judgement.kept.extend(answered.kept);
            judgement.calls += answered.calls;
            judgement.cost = match (judgement.cost, answered.cost) {
                (Some(sum), Cost::Known(cost)) => Some(sum + cost),
                _ => None,
            };
            judgement.opinions.insert(answered.question, answered.opinion);
        }
        judgement
    }

    /// The opinion that was given before, or a new one.
    async fn find_out(&self, question: &Question, material: &Material, cache: &Cache) -> Answered {
        let Some(judge) = self.judges.get(&Need::of(question)) else {
            return Answered::for_nothing(question, Err("there is no judge".to_owned()));
        };
        if matches!(judge, Judge::Lexical) {
            return self.ask(judge, question, material).await;
        }
        let basis = || judge.basis(question, material);
        match cache.look_up::<Opinion>(basis).await {
            Ok(Lookup::Hit(opinion)) => Answered::for_nothing(question, Ok(opinion)),
            Ok(Lookup::Ask(key)) => {
                let mut answered = self.ask(judge, question, material).await;
                answered.kept = answered
                    .opinion
                    .as_ref()
                    .ok()
                    .and_then(|opinion| key.with(opinion));
                answered
            }
            Ok(Lookup::Off) => self.ask(judge, question, material).await,
            Ok(Lookup::Missing) => {
                let missing = "its judge's opinion is not in the response cache".to_owned();
                Answered::for_nothing(question, Err(missing))
            }
            Err(_) => Answered::for_nothing(question, Err("the response cache cannot be read".to_owned())),
        }
    }

    async fn ask(&self, judge: &Judge, question: &Question, material: &Material) -> Answered {
        match judge {
            Judge::Words(model) => {
                let verdict = Examination {
                    model,
                    timeout: self.timeout,
                    budget: None,
                }
                .of(question, &material.asked())
                .await;
                Answered {
                    question: question.clone(),
                    opinion: verdict.opinion,
                    calls: verdict.calls,
                    cost: verdict.cost,
                    kept: None,
                }
            }
            Judge::Vectors(embedder) => self.ask_for_vectors(embedder, question, &material.output).await,
            Judge::Lexical => {
                let references = references(question).iter();
                let nearest = nearest(
                    &similarity::words(&material.output),
                    references.map(|text| similarity::words(text)),
                );
                Answered::for_nothing(question, Ok(nearest))
            }
        }
    }

    async fn ask_for_vectors(&self, embedder: &Embedder, question: &Question, output: &str) -> Answered {
        let mut texts = vec![output.to_owned()];
        texts.extend_from_slice(references(question));
        let (opinion, cost) = match embedder.embed(&texts, self.timeout).await {
            Ok(reply) => {
                let mut vectors = reply.vectors;
                for vector in &mut vectors {
                    similarity::scale(vector, 1.0);
                }
                let output = vectors.remove(0);
                (Ok(nearest(&output, vectors.into_iter())), reply.cost)
            }
            Err(failure) => (Err(no_answer(failure)), Cost::Unknown),
        };
        Answered {
            question: question.clone(),
            opinion,
            calls: 1,
            cost,
            kept: None,
        }
    }
}

/// What questions are about.
struct Material {
    trial: u16,
    input: String,
    output: String,
    tools_called: Option<Vec<String>>,
}

impl Material {
    fn asked(&self) -> Asked<'_> {
        Asked {
            input: &self.input,
            output: &self.output,
            tools_called: self.tools_called.as_deref(),
        }
    }
}

impl Judge {
    fn name(&self) -> String {
        match self {
            Self::Words(model) => model.spec().to_string(),
            Self::Vectors(embedder) => embedder.spec().to_string(),
            Self::Lexical => LEXICAL.to_owned(),
        }
    }

    /// What an opinion depends on.
    fn basis(&self, question: &Question, material: &Material) -> ContentDigest {
        let mut digest = ContentDigest::default();
        digest.text("judge");
        digest.text(&self.name());
        match &question.kind {
            QuestionKind::Rubric(rubric) => digest.value(&json!({"rubric": rubric})),
            QuestionKind::Criteria(criteria) => digest.value(&json!({"criteria": criteria})),
            QuestionKind::Facts(reference) => digest.value(&json!({"facts": reference})),
            QuestionKind::Required(sentence) => {
                digest.value(&json!({"required": sentence, "tools": material.tools_called}));
            }
            QuestionKind::Forbidden(sentence) => {
                digest.value(&json!({"forbidden": sentence, "tools": material.tools_called}));
            }
            QuestionKind::Similarity(references) => digest.value(&json!({"similarity": references})),
        }
        digest.text(&material.input);
        digest.text(&material.output);
        digest.count(usize::from(material.trial));
        digest
    }
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl Answered {
    fn for_nothing(question: &Question, opinion: Result<Opinion, String>) -> Self {
        Self {
            question: question.clone(),
            opinion,
            calls: 0,
            cost: Cost::Known(Usd::ZERO),
            kept: None,
        }
    }
}

fn find(need: &Need, request: &RunRequest, suite: &Suite) -> Result<Judge, String> {
    let settings = request.models.settings();
    let of_suite = suite.judges().name(need.skill);
    let by_caller = match need.skill {
        // A flag stands over the suite, a configured model is there for all that name none.
        Skill::Words => request.judge.as_deref().or(of_suite),
        Skill::Vectors => of_suite.or(request.embedder.as_deref()),
    };
    let named = need.provider.as_deref().or(by_caller);
    if named == Some(LEXICAL) && need.skill == Skill::Vectors {
        return Ok(Judge::Lexical);
    }
    let spec = match named {
        Some(text) => text.parse().map_err(|error| format!("{error}"))?,
        None => match need.skill {
            Skill::Words => settings.default_chat().ok_or(
                "needs a judge: name a model by `provider` here or in the options of `defaultTest`, or by --judge, or \
                 set the key of a provider, such as OPENAI_API_KEY",
            )?,
            Skill::Vectors => settings.default_embedder().ok_or(
                "needs embeddings: name a model by `provider` here or in the options of `defaultTest`, or set \
                 OPENAI_API_KEY or GEMINI_API_KEY; `provider: lexical` compares words without a model",
            )?,
        },
    };
    judge(&spec, need.skill, &request.models)
}

fn judge(spec: &ModelSpec, skill: Skill, models: &Models) -> Result<Judge, String> {
    let judge = match skill {
        Skill::Words => models.chat(spec).map(Judge::Words),
        Skill::Vectors => models.embedder(spec).map(Judge::Vectors),
    };
    judge.map_err(|error| format!("cannot judge by {spec}: {error}"))
}

fn references(question: &Question) -> &[String] {
    match &question.kind {
        QuestionKind::Similarity(texts) => texts,
        _ => &[],
    }
}

/// How near the nearest vector is; all have the length 1.
fn nearest(output: &[f32], references: impl Iterator<Item = Vec<f32>>) -> Opinion {
    let score = references
        .map(|reference| similarity::cosine(output, &reference))
        .fold(0.0, f64::max);
    Opinion {
        score: score.min(1.0),
        holds: true,
        reason: String::new(),
    }
}

impl Judgement {
    /// What stands with the case: how many requests, and what they cost.
    pub(crate) fn details(&self) -> Option<Value> {
        let cost = self.cost.map(Usd::as_f64);
        (self.calls > 0).then(|| json!({"calls": self.calls, "cost_usd": cost}))
    }
}
