//! From an incident to an approved test that fails the wrong answer and passes the right one.

use pawl_engine::draft::DraftRequest;
use pawl_engine::review::{Review, ReviewError, Verdict};
use pawl_engine::run::TargetChoice;
use pawl_engine::{Actor, EngineError};
use pawl_model::{CaseRecord, ProofVerdict};
use pawl_testkit::{Fault, ModelServer, Reply, Rule, Script, TestDatabase, on_both_engines, over_firestore};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::draft::rig::{Rig, calls};

on_both_engines!(
    approved_tests_fail_the_wrong_answers_and_pass_the_right_ones,
    texts_that_look_like_templates_mean_themselves,
    a_batch_of_twenty_survives_every_fault,
);

over_firestore!(
    approved_tests_fail_the_wrong_answers_and_pass_the_right_ones,
    a_batch_of_twenty_survives_every_fault,
);

/// An incident with a test that catches it, and the answer that would have been right.
#[derive(Deserialize)]
struct Remedy {
    incident: String,
    title: String,
    prompt: String,
    required: Vec<String>,
    forbidden: Vec<String>,
    golden_output: Option<String>,
    bad: String,
    bad_tools: Vec<String>,
    good: String,
    good_tools: Vec<String>,
    flag: String,
}

fn remedies() -> Vec<Remedy> {
    include_str!("remedies.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

impl Remedy {
    fn draft(&self) -> Value {
        json!({
            "title": self.title, "rationale": "It happened.",
            "input": {"prompt": self.prompt, "required_state": null, "tools_involved": self.good_tools},
            "assertions": {
                "required": self.required, "forbidden": self.forbidden, "golden_output": self.golden_output,
                "notes": null,
            },
            "status": "draft",
        })
    }

    /// A draft that says nothing that could be looked up, or nothing that the incident fails.
    fn vague(&self, is_for_a_judge: bool) -> Value {
        let mut draft = self.draft();
        draft["assertions"] = json!({
            "required": [if is_for_a_judge { "Must be helpful" } else { "Must not contain \"xyzzy\"" }],
            "forbidden": [], "golden_output": null, "notes": null,
        });
        draft
    }
}

/// What went wrong of all of them.
async fn store_incidents(rig: &Rig, remedies: &[Remedy]) {
    for remedy in remedies {
        let prompt = format!("{} ({})", remedy.prompt, remedy.incident);
        let flag = Some(remedy.flag.as_str());
        rig.store_calling(
            &remedy.incident,
            (&prompt, &remedy.bad),
            (&remedy.bad_tools, flag),
        )
        .await;
    }
}

/// Which tests of a run passed, by their ids.
async fn passed(rig: &Rig, outputs: &[(String, Value)]) -> Vec<(String, bool)> {
    let actor = Actor::Tenant(rig.user());
    let lines: String = outputs
        .iter()
        .map(|(id, answer)| {
            let mut line = answer.clone();
            line["id"] = id.as_str().into();
            format!("{line}\n")
        })
        .collect();
    let path = rig.database.folder().join("outputs.jsonl");
    std::fs::write(&path, lines).unwrap();
    let report = rig.run_approved(TargetChoice::Recorded(path)).await;
    let mut passed = Vec::new();
    let see = |row: CaseRecord| {
        let id = row.input_data.to_value()["id"].as_str().unwrap().to_owned();
        passed.push((id, row.passed));
        Ok::<(), EngineError>(())
    };
    rig.engine.each_case(actor, report.run.id, see).await.unwrap();
    passed
}

async fn approved_tests_fail_the_wrong_answers_and_pass_the_right_ones(database: TestDatabase) {
    let remedies = remedies();
    // Each third is vague: half of these need a judge, half cannot fail what they are for.
    let is_vague = |place: usize| place % 3 == 2;
    let script = remedies
        .iter()
        .enumerate()
        .fold(Script::new(), |script, (place, remedy)| {
            let draft = match is_vague(place) {
                true => remedy.vague(place % 2 == 0),
                false => remedy.draft(),
            };
            script.rule(Rule {
                prompt: Some(format!("({})", remedy.incident)),
                ..Rule::always(Reply::json(&draft))
            })
        });
    let server = ModelServer::start(script.otherwise(Reply::text("no verdict"))).await;
    let mut rig = Rig::new(database).await;
    rig.set_model(&server, Some("20"));
    for id in 0..8 {
        let prompt = format!("How are you, number {id}?");
        rig.store_calling(&format!("fine-{id}"), (&prompt, "Fine, thanks."), (&[], None))
            .await;
    }
    store_incidents(&rig, &remedies).await;
    rig.mine().await;
    let suggestions = rig.suggestions().await;
    // Each is its own, so that each has a test of its own.
    let titles: Vec<&str> = suggestions.iter().map(|one| one.pattern.title.as_str()).collect();
    assert_eq!(suggestions.len(), remedies.len(), "{titles:#?}");
    let request = DraftRequest {
        batch_size: 200,
        ..rig.request()
    };
    let report = rig.draft(request).await;
    assert_eq!(
        report.run.generated_count as usize,
        remedies.len(),
        "{:?}",
        report.run
    );
    let mut outputs: [Vec<(String, Value)>; 2] = Default::default();
    let (mut approved, mut held_back) = (0, 0);
    for (draft, card) in &report.drafts {
        let review = Review {
            user_id: rig.user(),
            suggestion_id: &draft.source.suggestion_id,
            by: "ada",
        };
        let place = remedies
            .iter()
            .position(|remedy| remedy.title == draft.title)
            .unwrap();
        let remedy = &remedies[place];
        let decided = rig.engine.decide(review, Verdict::Approve { notes: None }).await;
        if is_vague(place) {
            assert_ne!(card.verdict, ProofVerdict::Proven, "{}", draft.title);
            assert!(
                matches!(
                    decided,
                    Err(ReviewError::NoteNeeded { .. } | ReviewError::NeedsHumanInput)
                ),
                "{}: {decided:?}",
                draft.title
            );
            held_back += 1;
            continue;
        }
        decided.unwrap_or_else(|error| panic!("{}: {error}; {card:?}", draft.title));
        approved += 1;
        for (list, output, tools) in [
            (0, &remedy.bad, &remedy.bad_tools),
            (1, &remedy.good, &remedy.good_tools),
        ] {
            let answer = json!({"output": output, "tool_calls": calls(tools)});
            outputs[list].push((draft.eval_test_id.clone(), answer));
        }
    }
    assert_eq!((approved, held_back), (20, 10));
    let [bad, good] = outputs;
    let of_bad = passed(&rig, &bad).await;
    assert!(of_bad.iter().all(|(_, passed)| !passed), "{of_bad:?}");
    let of_good = passed(&rig, &good).await;
    assert!(of_good.iter().all(|(_, passed)| *passed), "{of_good:?}");
    assert_eq!((of_bad.len(), of_good.len()), (20, 20));
}

async fn texts_that_look_like_templates_mean_themselves(database: TestDatabase) {
    let mut draft = remedies()[0].draft();
    draft["assertions"] = json!({
        "required": ["Must contain \"{{ name }}\""], "forbidden": ["Must not contain \"{% raw %}\""],
        "golden_output": "Dear {{ name }}", "notes": null,
    });
    draft["input"]["required_state"] = "file:///etc/hostname and {{ state }}".into();
    let server = ModelServer::start(Script::new().otherwise(Reply::json(&draft))).await;
    let mut rig = Rig::new(database).await;
    rig.set_model(&server, None);
    rig.store_calling(
        "a",
        ("A letter, please", "Dear {% raw %}"),
        (&[], Some("hallucination")),
    )
    .await;
    rig.mine().await;
    let report = rig.draft(rig.request()).await;
    let (draft, card) = &report.drafts[0];
    assert_eq!(card.verdict, ProofVerdict::Proven, "{card:?}");
    let review = Review {
        user_id: rig.user(),
        suggestion_id: &draft.source.suggestion_id,
        by: "ada",
    };
    rig.engine
        .decide(review, Verdict::Approve { notes: None })
        .await
        .unwrap();
    for (output, expected) in [
        ("Dear {{ name }}", true),
        ("Dear Ada", false),
        ("Dear {{ name }}!", false),
    ] {
        let outputs = [(draft.eval_test_id.clone(), json!({"output": output}))];
        assert_eq!(passed(&rig, &outputs).await[0].1, expected, "{output}");
    }
}

async fn a_batch_of_twenty_survives_every_fault(database: TestDatabase) {
    let remedies: Vec<Remedy> = remedies().into_iter().take(20).collect();
    let good = |remedy: &Remedy| Reply::json(&remedy.draft()).with_usage(900, 200);
    // Faults in turn; what is expected of each.
    let fault = |place: usize, remedy: &Remedy| match place % 10 {
        0 => (good(remedy), None),
        1 => (good(remedy).in_fences(), None),
        2 => (good(remedy).in_prose(), None),
        3 => (good(remedy).truncated(), Some("invalid_json")),
        4 => (Reply::text(""), Some("invalid_json")),
        5 => (Reply::json(&json!({"assertions": []})), Some("schema_validation")),
        6 => (Reply::status(500), Some("vertex_error")),
        7 => (Reply::status(401), Some("vertex_error")),
        8 => (Reply::fault(Fault::TooLong), Some("vertex_error")),
        _ => (
            Reply::text(remedy.draft().to_string().replace("null", "NaN")),
            Some("invalid_json"),
        ),
    };
    let script = remedies
        .iter()
        .enumerate()
        .fold(Script::new(), |script, (place, remedy)| {
            script.rule(Rule {
                prompt: Some(format!("({})", remedy.incident)),
                ..Rule::always(fault(place, remedy).0)
            })
        });
    let server = ModelServer::start(script).await;
    let mut rig = Rig::new(database).await;
    rig.set_model(&server, Some("4"));
    store_incidents(&rig, &remedies).await;
    rig.mine().await;
    let before = rig.suggestions().await;
    assert_eq!(before.len(), 20);
    let report = rig.draft(rig.request()).await;
    let run = &report.run;
    assert_eq!(
        (run.picked_up_count, run.generated_count, run.error_count),
        (20, 6, 14)
    );
    assert!(run.cost_usd > 0.0 && run.cost_usd <= 4.0, "{}", run.cost_usd);
    let actor = Actor::Tenant(rig.user());
    let errors = rig.engine.draft_errors(actor, &run.run_id, 100).await.unwrap();
    for (place, remedy) in remedies.iter().enumerate() {
        let told = |suggestion: &&pawl_model::Suggestion| {
            let incident = format!("({})", remedy.incident);
            suggestion.pattern.title.contains(&incident)
                || suggestion.pattern.trigger_condition.contains(&incident)
        };
        let after = rig.suggestions().await;
        let suggestion = after
            .iter()
            .find(told)
            .unwrap_or_else(|| panic!("{}", remedy.incident));
        let error = errors
            .iter()
            .find(|error| error.suggestion_id == suggestion.suggestion_id);
        let has_draft = suggestion
            .suggestion_content
            .to_value()
            .get("eval_test")
            .is_some();
        let expected = fault(place, remedy).1;
        assert_eq!(
            error.map(|error| error.error_type.as_str()),
            expected,
            "{}",
            remedy.incident
        );
        assert_eq!(has_draft, expected.is_none(), "{}", remedy.incident);
        assert_eq!(
            (suggestion.status.as_str(), &suggestion.approval_metadata),
            ("pending", &None)
        );
    }
    // The same again takes up what failed, changes nothing of what is there, and ends the same.
    let there = rig.suggestions().await;
    let again = rig.draft(rig.request()).await;
    assert_eq!(
        (
            again.run.picked_up_count,
            again.run.generated_count,
            again.run.error_count
        ),
        (14, 0, 14)
    );
    assert_eq!(rig.suggestions().await, there);
}
