//! The names of the types of check.

use crate::distance_within;
use crate::story::StoryCheck;

/// A type of check, without its `not-` prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckType {
    /// The output is the value.
    Equals,
    /// The output contains a text.
    Contains,
    /// The same in any case.
    IContains,
    /// The output contains one of several texts.
    ContainsAny,
    /// The same in any case.
    IContainsAny,
    /// The output contains each of several texts.
    ContainsAll,
    /// The same in any case.
    IContainsAll,
    /// The output starts with a text.
    StartsWith,
    /// A regular expression matches somewhere in the output.
    Regex,
    /// The output is JSON, and valid by a JSON Schema if there is one.
    IsJson,
    /// The output contains JSON, valid by a JSON Schema if there is one.
    ContainsJson,
    /// The output is a well-formed XML document.
    IsXml,
    /// The output is HTML.
    IsHtml,
    /// The output is within some edits of a text.
    Levenshtein,
    /// The target took at most so long.
    Latency,
    /// The target cost at most so much.
    Cost,
    /// A model finds that the output meets a rubric.
    LlmRubric,
    /// A model scores the output by criteria.
    GEval,
    /// A model finds nothing in the output against a reference.
    Factuality,
    /// The output is near a text, as vectors have it.
    Similar,
    /// A sentence of a rubric holds.
    Required,
    /// What a sentence of a rubric describes does not occur.
    Forbidden,
    /// Several checks that count as one.
    AssertSet,
    /// The eight story checks.
    UserStory,
    /// One of the eight story checks.
    Story(StoryCheck),
}

const SUPPORTED: [(&str, CheckType); 34] = [
    ("equals", CheckType::Equals),
    ("contains", CheckType::Contains),
    ("icontains", CheckType::IContains),
    ("contains-any", CheckType::ContainsAny),
    ("icontains-any", CheckType::IContainsAny),
    ("contains-all", CheckType::ContainsAll),
    ("icontains-all", CheckType::IContainsAll),
    ("starts-with", CheckType::StartsWith),
    ("regex", CheckType::Regex),
    ("is-json", CheckType::IsJson),
    ("contains-json", CheckType::ContainsJson),
    ("is-xml", CheckType::IsXml),
    ("is-html", CheckType::IsHtml),
    ("levenshtein", CheckType::Levenshtein),
    ("latency", CheckType::Latency),
    ("cost", CheckType::Cost),
    ("llm-rubric", CheckType::LlmRubric),
    ("g-eval", CheckType::GEval),
    ("factuality", CheckType::Factuality),
    ("model-graded-factuality", CheckType::Factuality),
    ("similar", CheckType::Similar),
    ("similar:cosine", CheckType::Similar),
    ("required", CheckType::Required),
    ("forbidden", CheckType::Forbidden),
    ("assert-set", CheckType::AssertSet),
    ("user-story", CheckType::UserStory),
    ("has_title", CheckType::Story(StoryCheck::HasTitle)),
    ("has_description", CheckType::Story(StoryCheck::HasDescription)),
    (
        "description_format",
        CheckType::Story(StoryCheck::DescriptionFormat),
    ),
    (
        "min_acceptance_criteria",
        CheckType::Story(StoryCheck::MinAcceptanceCriteria),
    ),
    (
        "max_acceptance_criteria",
        CheckType::Story(StoryCheck::MaxAcceptanceCriteria),
    ),
    ("no_duplicate_ac", CheckType::Story(StoryCheck::NoDuplicateAc)),
    (
        "description_length",
        CheckType::Story(StoryCheck::DescriptionLength),
    ),
    (
        "acs_are_actionable",
        CheckType::Story(StoryCheck::AcsAreActionable),
    ),
];

/// Types of promptfoo that we know by name only.
const NOT_SUPPORTED: [&str; 51] = [
    "agent-rubric",
    "answer-relevance",
    "bertscore",
    "bleu",
    "classifier",
    "contains-html",
    "contains-sql",
    "contains-xml",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "conversation-relevance",
    "finish-reason",
    "gleu",
    "guardrails",
    "human",
    "is-refusal",
    "is-sql",
    "is-valid-function-call",
    "is-valid-openai-function-call",
    "is-valid-openai-tools-call",
    "javascript",
    "max-score",
    "meteor",
    "model-graded-closedqa",
    "moderation",
    "perplexity",
    "perplexity-score",
    "pi",
    "python",
    "research-rubric",
    "rouge-l",
    "rouge-n",
    "rouge-s",
    "ruby",
    "search-rubric",
    "select-best",
    "similar:dot",
    "similar:euclidean",
    "skill-used",
    "tool-call-f1",
    "trace-error-spans",
    "trace-span-count",
    "trace-span-duration",
    "trajectory:goal-success",
    "trajectory:step-count",
    "trajectory:tool-args-match",
    "trajectory:tool-sequence",
    "trajectory:tool-used",
    "webhook",
    "word-count",
];

/// A typo is at most this many edits away from what was meant.
const TYPO: usize = 3;

impl CheckType {
    /// The name in a suite, without the `not-` prefix.
    #[must_use]
    pub fn name(self) -> &'static str {
        SUPPORTED
            .iter()
            .find_map(|(name, check_type)| (*check_type == self).then_some(*name))
            .unwrap_or_default()
    }

    /// Whether a name, without its `not-` prefix, is that of a type of check, supported or not.
    #[must_use]
    pub fn is_known(name: &str) -> bool {
        SUPPORTED.iter().any(|(known, _)| *known == name) || NOT_SUPPORTED.contains(&name)
    }

    /// Reads a name and whether it is the `not-` form.
    ///
    /// # Errors
    /// What is wrong with the name: not supported, no `not-` form, or unknown, with the nearest known name.
    pub(super) fn parse(name: &str) -> Result<(Self, bool), String> {
        let (base, negated) = match name.strip_prefix("not-") {
            Some(base) => (base, true),
            None => (name, false),
        };
        if let Some((_, check_type)) = SUPPORTED.iter().find(|(known, _)| *known == base) {
            return match check_type {
                Self::AssertSet | Self::UserStory if negated => Err(format!(
                    "`{base}` has no `not-` form: it stands for several checks"
                )),
                Self::Required | Self::Forbidden if negated => Err(format!(
                    "`{base}` has no `not-` form: the sentence says what must be, and what must not"
                )),
                _ => Ok((*check_type, negated)),
            };
        }
        if NOT_SUPPORTED.contains(&base) || base.starts_with("promptfoo:") {
            return Err(format!(
                "check type `{name}` is not supported yet; supported are {}",
                supported()
            ));
        }
        let names = SUPPORTED.iter().map(|(known, _)| *known).chain(NOT_SUPPORTED);
        Err(match nearest(base, names) {
            Some(meant) => format!("unknown check type `{name}`; did you mean `{meant}`?"),
            None => format!("unknown check type `{name}`; supported are {}", supported()),
        })
    }
}

fn supported() -> String {
    SUPPORTED.map(|(name, _)| name).join(", ")
}

/// The known name that was probably meant.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = TYPO.min(name.chars().count() / 2);
    known
        .into_iter()
        .filter_map(|candidate| distance_within(name, candidate, limit).map(|distance| (distance, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
