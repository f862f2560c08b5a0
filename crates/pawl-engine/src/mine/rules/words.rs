//! What is said of a kind of failure.

use pawl_model::FailureType;

/// Those of one kind.
pub(super) struct Words {
    pub(super) title: &'static str,
    pub(super) summary: &'static str,
    pub(super) cause: &'static str,
    pub(super) action: &'static str,
}

impl Words {
    pub(super) fn of(kind: FailureType) -> Self {
        let (title, summary, cause, action) = match kind {
            FailureType::GuardrailFailure => (
                "Guardrail",
                "A guardrail was hit; the agent answered",
                "Nothing in the prompt keeps the agent from what the guardrail forbids.",
                "Say in the prompt what has to be refused, and test that it is.",
            ),
            FailureType::PromptInjection => (
                "Prompt injection",
                "The input talked the agent into something; it answered",
                "The agent takes text that it is given for instructions.",
                "Fence what comes from outside, and test that instructions in it change nothing.",
            ),
            FailureType::RunawayLoop => (
                "Runaway loop",
                "The agent went on and on; it answered",
                "Nothing ends the agent's attempts when they bring nothing new.",
                "Limit the number of calls, and stop where one repeats itself.",
            ),
            FailureType::PiiLeak => (
                "Personal data",
                "Personal data was let out; the agent answered",
                "The agent repeats what it reads without regard to whose it is.",
                "Keep such data out of what the agent reads, and test that it does not repeat it.",
            ),
            FailureType::Toxicity => (
                "Offensive answer",
                "The answer was offensive",
                "The agent follows the tone of what it is asked.",
                "Set the tone in the prompt, and test it on inputs like this one.",
            ),
            FailureType::Hallucination => (
                "Made-up answer",
                "The answer was made up",
                "The agent says what it has no source for.",
                "Have the agent rely on what its tools return, and test that it says when it does not know.",
            ),
            FailureType::WrongTool => (
                "Wrong tool",
                "Another tool should have been called; the agent answered",
                "The descriptions of the tools do not tell them apart for this input.",
                "Tell in the prompt which tool is for what, and test that it is called.",
            ),
            FailureType::StaleData => (
                "Outdated answer",
                "The answer was true once",
                "The agent does not check how old its data is.",
                "Have the agent look the current state up first, and test that it does.",
            ),
            FailureType::InfrastructureError => (
                "Something broke",
                "Something that the agent relies on broke; it answered",
                "A service was down, slow or overloaded.",
                "Write down how to notice and mend it, and what the agent should say meanwhile.",
            ),
            FailureType::ClientError => (
                "Refused call",
                "A call of the agent was refused; it answered",
                "The agent asks for what does not exist, or what it may not do.",
                "Check the call's arguments and rights, and test what the agent says when refused.",
            ),
            FailureType::LowQuality => (
                "Poor answer",
                "The answer was scored low",
                "The prompt does not say what a good answer to this is.",
                "Say in the prompt what is expected here, and test for it.",
            ),
            FailureType::LlmError => (
                "Failed step",
                "A step of the agent failed; it answered",
                "A model or a tool failed in a way that its message does not tell.",
                "Look at the trace, and test what the agent says when this step fails.",
            ),
            FailureType::Unknown => (
                "Flagged",
                "It was flagged; the agent answered",
                "Nothing tells why.",
                "Look at the interaction, and write down what should have happened.",
            ),
        };
        Self {
            title,
            summary,
            cause,
            action,
        }
    }
}
