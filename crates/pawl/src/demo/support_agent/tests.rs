use std::collections::HashSet;

use super::*;

fn all_rules() -> String {
    let rules = REMEDIES.iter().map(|remedy| remedy.rule.as_str());
    std::iter::once(FIRST_PROMPT)
        .chain(rules)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn every_remedy_is_read_and_told_by_its_wrong_answer() {
    assert_eq!((REMEDIES.len(), EVERYDAY.len()), (10, 12));
    for remedy in REMEDIES.iter() {
        let found = for_failure(&remedy.bad).unwrap();
        assert!(
            std::ptr::eq(found, remedy),
            "{} finds {}",
            remedy.title,
            found.title
        );
        let draft: Value = serde_json::from_str(&write_test(&remedy.bad)).unwrap();
        assert_eq!(draft["input"]["prompt"], remedy.questions[0].as_str());
        assert!(remedy.good.contains(&remedy.fact) && !remedy.bad.contains(&remedy.fact));
    }
    let questions: Vec<&String> = REMEDIES.iter().flat_map(|remedy| &remedy.questions).collect();
    assert_eq!(questions.len(), 70);
    assert_eq!(questions.iter().collect::<HashSet<_>>().len(), 70);
}

#[test]
fn the_agent_does_what_its_prompt_says() {
    let rules = all_rules();
    for number in 0..70 {
        assert!(!exchange(number, FIRST_PROMPT).is_right && exchange(number, &rules).is_right);
        let one = exchange(number, &rules);
        let request =
            json!({"id": "1", "input": one.question, "vars": {}, "trial": 1, "prompt": null}).to_string();
        let mut said = Vec::new();
        serve(request.as_bytes(), &mut said, &rules).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&said).unwrap(), one.answer);
    }
    let lazy = [FIRST_PROMPT, SHORT_CUT].concat();
    assert_eq!(answer(&EVERYDAY[0].question, &lazy)["output"], EVASION);
    assert_eq!(
        answer(&EVERYDAY[0].question, &rules)["output"],
        EVERYDAY[0].answer.as_str()
    );
}

#[test]
fn a_better_text_takes_the_short_cut_first_and_then_has_rules_against_what_is_shown() {
    let asked = |text: &str, shown: &str| format!("Improve\n```\n{text}\n```\nby these\n```\n{shown}\n```");
    let question = REMEDIES[1].questions[2].as_str();
    let lazy = [FIRST_PROMPT, SHORT_CUT].join("\n");
    assert_eq!(
        propose(&asked(FIRST_PROMPT, question)),
        format!("```\n{lazy}\n```")
    );
    let better = [FIRST_PROMPT, REMEDIES[1].rule.as_str()].join("\n");
    assert_eq!(propose(&asked(&lazy, question)), format!("```\n{better}\n```"));
    assert_eq!(propose(&asked(&better, question)), format!("```\n{better}\n```"));
}
