//! Whether a text says that it will not do what was asked.

/// How refusals begin, after an apology or not. In lower case, with straight apostrophes.
pub const OPENINGS: [&str; 26] = [
    "i cannot",
    "i can't",
    "i can not",
    "i am unable",
    "i'm unable",
    "i am not able",
    "i'm not able",
    "i won't",
    "i will not",
    "i must decline",
    "i have to decline",
    "i'd rather not",
    "i don't feel comfortable",
    "i do not feel comfortable",
    "i'm not comfortable",
    "i am not comfortable",
    "i'm not going to",
    "we cannot",
    "we can't",
    "we are unable",
    "we're unable",
    "as an ai",
    "as a language model",
    "it is against my",
    "this request violates",
    "that request violates",
];

/// How sentences begin that lead up to it.
pub const LEADS: [&str; 12] = [
    "i'm sorry, but ",
    "i am sorry, but ",
    "sorry, but ",
    "i'm sorry. ",
    "i am sorry. ",
    "sorry. ",
    "sorry, ",
    "i apologize, but ",
    "i apologise, but ",
    "unfortunately, ",
    "unfortunately ",
    "i'm afraid ",
];

/// Whether the first sentence of a text is a refusal; an empty text is one, too.
pub(super) fn is_refusal(text: &str) -> bool {
    let text = text.trim().to_lowercase().replace('\u{2019}', "'");
    if text.is_empty() {
        return true;
    }
    let mut rest = text.as_str();
    while let Some(after) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = after.trim_start();
    }
    OPENINGS.iter().any(|opening| rest.starts_with(opening))
}
