use super::*;

const INPUTS: &str = include_str!("../../../../../examples/stories/inputs.json");

fn inputs() -> Vec<Value> {
    let file: Value = serde_json::from_str(INPUTS).unwrap();
    file["inputs"].as_array().unwrap().clone()
}

fn criteria(story: &Value) -> Vec<&str> {
    story["acceptance_criteria"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}

/// The names of the story checks that a story fails, by a restatement of their rules that is strict about the first
/// words of a criterion: the generator uses but these.
fn failed_checks(story: &Value) -> Vec<&'static str> {
    let text = |key: &str| story[key].as_str().unwrap().to_owned();
    let (description, criteria) = (text("description"), criteria(story));
    let lower = description.to_lowercase();
    let in_order = lower
        .find("as a")
        .and_then(|at| Some(at + lower[at..].find("i want")?))
        .is_some_and(|at| lower[at..].contains("so that"));
    let mut folded: Vec<String> = criteria
        .iter()
        .map(|c| c.to_lowercase().trim_end_matches('.').to_owned())
        .collect();
    folded.sort();
    folded.dedup();
    let begins = ["user can ", "system ", "given that "];
    let actionable = |criterion: &&str| {
        begins
            .iter()
            .any(|begin| criterion.to_lowercase().starts_with(begin))
    };
    let verdicts = [
        ("has_title", !text("title").trim().is_empty()),
        ("has_description", !description.trim().is_empty()),
        ("description_format", in_order),
        ("min_acceptance_criteria", criteria.len() >= 3),
        ("max_acceptance_criteria", criteria.len() <= 7),
        ("no_duplicate_ac", folded.len() == criteria.len()),
        (
            "description_length",
            (20..=500).contains(&description.chars().count()),
        ),
        ("acs_are_actionable", criteria.iter().all(actionable)),
    ];
    verdicts
        .into_iter()
        .filter_map(|(name, passed)| (!passed).then_some(name))
        .collect()
}

#[test]
fn fixed_stories_pass_every_check() {
    for input in inputs() {
        let story = write_story(&input, Quality::Fixed);
        assert_eq!(failed_checks(&story), Vec::<&str>::new(), "of {story:#}");
    }
    for input in [
        json!({}),
        json!(null),
        json!("text"),
        json!({"role": 1, "goal": "\n", "benefit": []}),
    ] {
        assert_eq!(
            failed_checks(&write_story(&input, Quality::Fixed)),
            Vec::<&str>::new(),
            "of {input}"
        );
    }
}

#[test]
fn flawed_stories_fail_a_good_third_of_the_cases_in_many_ways() {
    let failures: Vec<Vec<&str>> = inputs()
        .iter()
        .map(|input| failed_checks(&write_story(input, Quality::Flawed)))
        .collect();
    let failed = failures.iter().filter(|names| !names.is_empty()).count();
    assert!((18..=22).contains(&failed), "{failed} of {} fail", failures.len());
    let mut names: Vec<&str> = failures.into_iter().flatten().collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(
        names,
        [
            "acs_are_actionable",
            "description_format",
            "description_length",
            "has_title",
            "max_acceptance_criteria",
            "min_acceptance_criteria",
            "no_duplicate_ac",
        ]
    );
}

#[test]
fn a_story_speaks_of_its_input() {
    let input = json!({
        "role": "editor",
        "goal": "undo my last change",
        "benefit": "correct myself",
        "context": { "domain": "energy", "complexity": "medium" },
    });
    assert_eq!(
        write_story(&input, Quality::Fixed),
        json!({
            "title": "Undo my last change",
            "description": "As an editor, I want to undo my last change so that I can correct myself.",
            "acceptance_criteria": [
                "User can undo their last change",
                "System displays readings with their unit and time",
                "System displays what to correct when the request cannot be completed",
                "Given that this is done, when the user returns, then they can correct themselves",
            ],
            "metadata": { "model": "story-template", "prompt_version": "2-fixed" },
        })
    );
}

#[test]
fn what_is_missing_is_filled_in_and_what_is_long_ends_with_a_word() {
    let description = |input: Value| {
        write_story(&input, Quality::Fixed)["description"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        description(json!({"role": " ", "goal": "pay", "benefit": ""})),
        "As a user, I want to pay so that I can get this done."
    );
    let long = description(json!({"goal": "word ".repeat(100), "benefit": "読".repeat(1000)}));
    assert!(long.starts_with("As a user, I want to word word ") && long.contains(" word so that I can 読読"));
    assert_eq!(long.matches("word").count(), 36);
    assert_eq!(long.matches('読').count(), 180);
}

#[test]
fn texts_are_cut_between_words() {
    for (text, characters, cut) in [
        ("one two three", 13, "one two three"),
        ("one two three", 7, "one two"),
        ("one two three", 10, "one two"),
        ("one, two", 6, "one"),
        ("one, two or three", 12, "one, two or"),
        ("one and two, three or four", 20, "one and two"),
        ("a 読者読者", 4, "a 読者"),
        ("読者読者", 2, "読者"),
        ("", 5, ""),
    ] {
        assert_eq!(shorten(text, characters), cut);
    }
}

#[test]
fn one_request_or_many_are_answered_line_by_line() {
    let request = |id: &str| json!({"id": id, "input": {"goal": id}, "vars": {}, "trial": 1, "prompt": null});
    let mut answers = Vec::new();
    let requests = format!("{}\n{:#}", request("first wish"), request("second wish"));
    serve(requests.as_bytes(), &mut answers, Quality::Fixed).unwrap();
    let answers = String::from_utf8(answers).unwrap();
    let titles: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["output"]["title"].clone())
        .collect();
    assert_eq!(titles, ["First wish", "Second wish"]);
}

#[test]
fn what_is_no_request_is_an_error() {
    for requests in ["not JSON", "{\"id\": 1}", "{\"id\""] {
        let mut answers = Vec::new();
        assert!(
            serve(requests.as_bytes(), &mut answers, Quality::Flawed).is_err(),
            "of {requests}"
        );
        assert!(answers.is_empty());
    }
}
