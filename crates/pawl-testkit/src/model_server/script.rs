//! What the server says to what.

use serde::Deserialize;
use serde_json::Value;

/// Which replies there are, and for what. The first rule that fits and has uses left decides; without one the answer
/// is a refusal (400).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Script {
    pub(super) rules: Vec<Rule>,
}

/// One reply, and what it is for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// A text that the prompt holds; any prompt fits where there is none.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The model that is asked; any where there is none.
    #[serde(default)]
    pub model: Option<String>,
    /// How often the rule can be used; as often as asked where it is not said.
    #[serde(default)]
    pub times: Option<usize>,
    /// The reply.
    pub reply: Reply,
}

/// What is answered, in whatever format was asked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// What the model thought before.
    pub reasoning: Option<String>,
    /// Why it does not answer.
    pub refusal: Option<String>,
    /// The tools that it calls.
    pub tool_calls: Vec<CalledTool>,
    /// Tokens of input and output. Words are counted where it is not said.
    pub usage: Option<(u64, u64)>,
    /// Whether the text ends in the middle, at the most tokens.
    pub is_cut_short: bool,
    /// What goes wrong on the way.
    pub fault: Option<Fault>,
}

/// A tool that a reply calls.
#[derive(Clone, Debug, Deserialize)]
pub struct CalledTool {
    /// Its name.
    pub name: String,
    /// What it is given.
    pub arguments: Value,
}

/// What goes wrong.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// An error of the provider.
    Status {
        /// Its status.
        status: u16,
        /// The value of `Retry-After`.
        #[serde(default)]
        retry_after: Option<String>,
    },
    /// Nothing is said for longer than anybody waits.
    Hang,
    /// The tokens are not a number, and the document so no JSON.
    NotANumber,
    /// The text is two megabytes long.
    TooLong,
    /// The connection breaks in the middle of the answer.
    CutConnection,
}

impl Script {
    /// A script without rules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds this reply to prompts that hold this text.
    #[must_use]
    pub fn on(self, prompt: &str, reply: Reply) -> Self {
        self.rule(Rule {
            prompt: Some(prompt.to_owned()),
            ..Rule::always(reply)
        })
    }

    /// Adds this reply to whatever no rule before fits.
    #[must_use]
    pub fn otherwise(self, reply: Reply) -> Self {
        self.rule(Rule::always(reply))
    }

    /// Adds this reply to the next requests, as many as it says.
    #[must_use]
    pub fn next(self, times: usize, reply: Reply) -> Self {
        self.rule(Rule {
            times: Some(times),
            ..Rule::always(reply)
        })
    }

    /// Adds a rule.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }
}

impl Rule {
    /// This reply, whatever is asked.
    #[must_use]
    pub const fn always(reply: Reply) -> Self {
        Self {
            prompt: None,
            model: None,
            times: None,
            reply,
        }
    }

    pub(super) fn fits(&self, model: &str, prompt: &str) -> bool {
        self.prompt.as_ref().is_none_or(|text| prompt.contains(text))
            && self.model.as_ref().is_none_or(|name| name == model)
    }
}

impl Reply {
    /// This text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// This JSON as the text.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    /// A call of this tool.
    #[must_use]
    pub fn tool_call(name: &str, arguments: Value) -> Self {
        let name = name.to_owned();
        Self {
            tool_calls: vec![CalledTool { name, arguments }],
            ..Self::default()
        }
    }

    /// The model's own refusal.
    #[must_use]
    pub fn refusal(text: &str) -> Self {
        Self {
            refusal: Some(text.to_owned()),
            ..Self::default()
        }
    }

    /// This fault.
    #[must_use]
    pub fn fault(fault: Fault) -> Self {
        Self::text("It went well until here.").with_fault(fault)
    }

    /// An error of the provider.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::fault(Fault::Status {
            status,
            retry_after: None,
        })
    }

    /// Too many requests (429), and how long to wait.
    #[must_use]
    pub fn throttled(retry_after: &str) -> Self {
        Self::fault(Fault::Status {
            status: 429,
            retry_after: Some(retry_after.to_owned()),
        })
    }

    /// The same reply, with a fault on the way.
    #[must_use]
    pub fn with_fault(self, fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..self
        }
    }

    /// The same reply with these tokens of input and output.
    #[must_use]
    pub fn with_usage(self, input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            usage: Some((input_tokens, output_tokens)),
            ..self
        }
    }

    /// The same text between sentences, as talkative models give JSON.
    #[must_use]
    pub fn in_prose(self) -> Self {
        let text = [
            "Sure! Here is what you asked for:\n\n",
            &self.text,
            "\n\nAnything else?",
        ]
        .concat();
        Self { text, ..self }
    }

    /// The same text as a block of code, as models give JSON.
    #[must_use]
    pub fn in_fences(self) -> Self {
        let text = ["```json\n", &self.text, "\n```"].concat();
        Self { text, ..self }
    }

    /// The first half of the text, as where the most tokens are reached.
    #[must_use]
    pub fn truncated(self) -> Self {
        let half = self.text.chars().count() / 2;
        Self {
            text: self.text.chars().take(half).collect(),
            is_cut_short: true,
            ..self
        }
    }
}
