//! What people ask a support agent, and what it answers: topics in several languages, with blanks to fill in.

mod english;
mod french;
mod german;
mod japanese;
mod spanish;

use super::draw::Draw;

/// What a conversation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Delivery,
    Refund,
    Invoice,
    Password,
    Cancellation,
    Manual,
    Address,
}

impl Topic {
    /// Each with how often it comes up among all, in percent.
    const SHARES: [(Self, f64); 7] = [
        (Self::Delivery, 29.0),
        (Self::Refund, 17.0),
        (Self::Invoice, 14.0),
        (Self::Password, 13.0),
        (Self::Cancellation, 9.0),
        (Self::Manual, 11.0),
        (Self::Address, 7.0),
    ];

    pub(super) fn draw(draw: &mut Draw) -> Self {
        *draw.weighted(&Self::SHARES)
    }

    /// How much more often than usual the agent gets it wrong.
    pub(super) const fn difficulty(self) -> f64 {
        match self {
            Self::Delivery | Self::Address | Self::Password => 0.7,
            Self::Invoice => 1.0,
            Self::Refund | Self::Manual => 1.4,
            Self::Cancellation => 1.8,
        }
    }

    /// The tool that the agent calls for it, and how often it does.
    pub(super) const fn tool(self) -> (&'static str, f64) {
        match self {
            Self::Delivery => ("find_order", 0.95),
            Self::Refund => ("refund_order", 0.75),
            Self::Invoice => ("find_invoice", 0.85),
            Self::Password => ("send_reset_link", 0.6),
            Self::Cancellation => ("cancel_subscription", 0.5),
            Self::Manual => ("search_manual", 0.9),
            Self::Address => ("change_address", 0.8),
        }
    }
}

/// What is said in a language.
pub(super) struct Language {
    /// In the order of [`Topic`].
    topics: [Texts; 7],
    /// Sentences of a customer who says something personal.
    pub(super) personal: &'static [&'static str],
    /// A sentence of an agent who repeats it.
    pub(super) repeats: &'static str,
    /// A sentence of an agent who is not sure.
    pub(super) doubts: &'static str,
}

/// What is said about a topic.
pub(super) struct Texts {
    /// What customers ask.
    pub(super) questions: [&'static str; 2],
    /// What a good agent answers.
    pub(super) answer: &'static str,
    /// What one answers that is wrong.
    pub(super) mistake: &'static str,
}

/// Each with its share of the customers, in percent.
static LANGUAGES: [(Language, f64); 5] = [
    (english::LANGUAGE, 46.0),
    (german::LANGUAGE, 22.0),
    (french::LANGUAGE, 13.0),
    (spanish::LANGUAGE, 12.0),
    (japanese::LANGUAGE, 7.0),
];

impl Language {
    pub(super) fn draw(draw: &mut Draw) -> &'static Self {
        draw.weighted(&LANGUAGES)
    }

    pub(super) const fn about(&self, topic: Topic) -> &Texts {
        &self.topics[topic as usize]
    }

    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = &'static Self> {
        LANGUAGES.iter().map(|(language, _)| language)
    }
}
