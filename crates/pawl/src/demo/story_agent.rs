//! A bundled agent that writes user stories from templates, so that the loop can be tried without a model.
//!
//! It is deterministic, and it comes in two qualities: [`Quality::Flawed`] is flawed on purpose, with the habits of a
//! first prompt (it forgets the benefit of complex stories, repeats itself, praises instead of specifying), and
//! [`Quality::Fixed`] is what it should become.

use std::io::{self, BufRead, Write};

use pawl_model::TargetRequest;
use serde_json::{Value, json};

/// Which of the two generators writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    /// Flawed on purpose: what goes wrong depends on the input, and for many inputs nothing does.
    Flawed,
    /// Every story is well formed, whatever the input.
    Fixed,
}

impl Quality {
    const fn prompt_version(self) -> &'static str {
        match self {
            Self::Flawed => "1-flawed",
            Self::Fixed => "2-fixed",
        }
    }
}

/// Answers target requests until the input ends, each with one line `{"output": STORY}`. A process that is started
/// for a single case gets one request, a persistent one gets many: they are served alike.
///
/// # Errors
/// When a request is not JSON of the target contract, or when reading or writing fails.
pub(crate) fn serve(requests: impl BufRead, mut answers: impl Write, quality: Quality) -> io::Result<()> {
    for request in serde_json::Deserializer::from_reader(requests).into_iter::<TargetRequest>() {
        let story = write_story(&request?.input, quality);
        writeln!(answers, "{}", json!({ "output": story }))?;
        answers.flush()?;
    }
    Ok(())
}

/// Writes the story for an input of the shape `{role, goal, benefit, context: {domain, complexity}}`; every member may
/// be missing or blank. The story is `{title, description, acceptance_criteria, metadata: {model, prompt_version}}`.
#[must_use]
pub(crate) fn write_story(input: &Value, quality: Quality) -> Value {
    let wish = Wish::read(input);
    let story = match quality {
        Quality::Flawed => wish.flawed_story(),
        Quality::Fixed => wish.story(),
    };
    json!({
        "title": story.title,
        "description": story.description,
        "acceptance_criteria": story.acceptance_criteria,
        "metadata": { "model": "story-template", "prompt_version": quality.prompt_version() },
    })
}

struct Story {
    title: String,
    description: String,
    acceptance_criteria: Vec<String>,
}

/// What somebody wants, as the input says it; blanks folded, so that blank is empty.
struct Wish {
    role: String,
    goal: String,
    benefit: String,
    domain: String,
    complexity: Complexity,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Complexity {
    Low,
    Medium,
    High,
}

impl Wish {
    fn read(input: &Value) -> Self {
        let text = |pointer: &str| {
            let text = input.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        Self {
            role: text("/role"),
            goal: text("/goal"),
            benefit: text("/benefit"),
            domain: text("/context/domain"),
            complexity: match text("/context/complexity").as_str() {
                "low" => Complexity::Low,
                "high" => Complexity::High,
                _ => Complexity::Medium,
            },
        }
    }

    // ---- As it should be ----

    /// The lengths of role, goal and benefit together with the words between them stay below 500 characters.
    fn story(&self) -> Story {
        let role = shorten(or(&self.role, "user"), 100);
        let goal = shorten(or(&self.goal, "get this done"), 180);
        let benefit = shorten(or(&self.benefit, "get this done"), 180);
        let article = article(role);
        Story {
            title: capitalise(shorten(goal, 60)),
            description: format!("As {article} {role}, I want to {goal} so that I can {benefit}."),
            acceptance_criteria: self.criteria(goal, benefit),
        }
    }

    /// Three to six criteria, by complexity: first what users get, then what the system owes them, last the benefit.
    fn criteria(&self, goal: &str, benefit: &str) -> Vec<String> {
        let goal = third_person(shorten(goal, 120));
        let benefit = third_person(shorten(benefit, 120));
        let [first, second] = duties(&self.domain);
        let mut criteria = vec![
            format!("User can {goal}"),
            first.to_owned(),
            "System displays what to correct when the request cannot be completed".to_owned(),
        ];
        if self.complexity != Complexity::Low {
            criteria.push(format!(
                "Given that this is done, when the user returns, then they can {benefit}"
            ));
        }
        if self.complexity == Complexity::High {
            criteria.push(second.to_owned());
            criteria.push("System records who made the change and when".to_owned());
        }
        criteria
    }

    // ---- As a first prompt would have it ----

    fn flawed_story(&self) -> Story {
        let Self {
            role, goal, benefit, ..
        } = self;
        // A long benefit is forgotten where the story asks for much, and nothing stands in for a missing one.
        let forgotten = self.complexity == Complexity::High && benefit.chars().count() > 40;
        let benefit_clause = if forgotten || benefit.is_empty() {
            String::new()
        } else {
            format!(" so that I can {benefit}")
        };
        Story {
            title: self.flawed_title(),
            description: format!("As {} {role}, I want to {goal}{benefit_clause}.", article(role)),
            acceptance_criteria: self.flawed_criteria(),
        }
    }

    /// The title leaves out the verb and what follows it, and of a short goal nothing remains.
    fn flawed_title(&self) -> String {
        let words: Vec<&str> = self.goal.split(' ').skip(2).collect();
        capitalise(shorten(&words.join(" "), 60))
    }

    fn flawed_criteria(&self) -> Vec<String> {
        let mut criteria = self.criteria(
            or(&self.goal, "get this done"),
            or(&self.benefit, "get this done"),
        );
        // Small wishes are not thought through.
        if self.complexity == Complexity::Low && self.goal.split(' ').count() < 4 {
            criteria.truncate(2);
        }
        // Two wishes in one: the criterion is written for each of them, and it is the same one.
        if self.goal.contains(" and ") {
            criteria.push(format!("{}.", criteria[0].to_lowercase()));
        }
        // A wish for ease is repeated instead of specified.
        if self.benefit.contains("without") {
            criteria.push("Fast, simple and pleasant for everybody".to_owned());
        }
        // A list of wishes becomes a list of criteria, however long.
        let parts: Vec<&str> = self.goal.split(", ").collect();
        if parts.len() > 3 {
            criteria.extend(parts.iter().map(|part| format!("System supports this: {part}")));
        }
        criteria
    }
}

/// What the system owes its users in a domain.
fn duties(domain: &str) -> [&'static str; 2] {
    match domain {
        "library" => [
            "System displays the due date in the member's own time zone",
            "System stores loans apart from the member's name once they end",
        ],
        "healthcare" => [
            "System validates that the user may see this patient's data",
            "System rejects changes to a record that somebody else is editing",
        ],
        "transit" => [
            "System displays how old the shown times are",
            "System sends affected passengers a message within a minute",
        ],
        "banking" => [
            "System validates the request with a second factor",
            "System rejects the same order when it arrives twice",
        ],
        "energy" => [
            "System displays readings with their unit and time",
            "System rejects readings that are lower than the last one",
        ],
        "farming" => [
            "System stores entries on the device until there is a connection",
            "System displays on a map where an entry was made",
        ],
        "education" => [
            "System validates that only the people involved can see it",
            "System sends guardians a message in the language they chose",
        ],
        "events" => [
            "System updates the number of free seats at once",
            "System rejects a seat that somebody else has just taken",
        ],
        _ => [
            "System validates the request before anything is changed",
            "System sends a confirmation that names what was changed",
        ],
    }
}

// ---- Words ----

const fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

/// At most so many characters of a text, cut after a clause or else after a word, if one ends in the second half.
fn shorten(text: &str, characters: usize) -> &str {
    let Some((limit, next)) = text.char_indices().nth(characters) else {
        return text;
    };
    let within = &text[..limit + next.len_utf8()];
    let ends = [", ", " "].into_iter().filter_map(|end| within.rfind(end));
    let cut = ends.into_iter().find(|at| at * 2 >= limit).unwrap_or(limit);
    text[..cut].trim_end_matches([',', ';', ':', ' '])
}

fn capitalise(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

/// `a` or `an`, by the first letter.
fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) {
        "an"
    } else {
        "a"
    }
}

/// What the first person says of itself, said of others.
fn third_person(text: &str) -> String {
    let words = text.split(' ').map(|word| match word {
        "I" => "they",
        "me" => "them",
        "my" | "our" => "their",
        "myself" => "themselves",
        other => other,
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
