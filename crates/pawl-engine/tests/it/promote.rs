//! The gate: what becomes live, what does not, and the way back.

use pawl_engine::evolve::{Part, Weights};
use pawl_engine::promote::{NewPrompt, OnRefusal, Promotion};
use pawl_engine::review::{Review, Verdict};
use pawl_engine::run::{RunRequest, TargetChoice};
use pawl_engine::{Actor, EngineError};
use pawl_model::{CandidateStatus, PromotionVerdict, PromptCandidate, UserId, VerdictKind};
use pawl_testkit::{ModelServer, Reply, Script, TestDatabase, on_both_engines, samples};
use serde_json::Value;

use crate::draft;
use crate::rig::Rig;

on_both_engines!(
    what_is_better_becomes_live_and_the_way_back_is_there,
    what_only_knows_its_examples_is_refused,
    a_lazy_fix_is_refused_by_the_controls,
    healthy_neighbours_of_approved_tests_are_controls,
    a_refusal_is_overridden_by_name_and_reason_alone,
    of_two_who_promote_at_once_one_does,
);

fn user() -> UserId {
    samples::user(1).id
}

/// Cases that want "please", and controls that want "welcome".
fn suite() -> String {
    let case = |n: usize| {
        format!("  - {{id: case-{n}, vars: {{input: q{n}}}, assert: [{{type: contains, value: please}}]}}\n")
    };
    let control = |n: usize| {
        format!(
            "  - {{id: control-{n}, vars: {{input: c{n}}}, metadata: {{control: true}}, assert: [{{type: contains, value: welcome}}]}}\n"
        )
    };
    let cases: String = (0..40).map(case).chain((0..4).map(control)).collect();
    format!("tests:\n{cases}")
}

/// An agent that does as its prompt says: polite and welcoming, polite alone, or polite where the search could see it.
fn agent() -> String {
    let held: Vec<String> = (0..40)
        .map(|n| format!("case-{n}"))
        .filter(|id| Part::of(id) == Part::HoldOut)
        .map(|id| format!("*'\"id\":\"{id}\"'*"))
        .collect();
    format!(
        "read -r request\ncase \"$request\" in\n*GOOD*) echo please welcome ;;\n*LAZY*) echo please ;;\n\
         *OVERFIT*) case \"$request\" in {}) echo no welcome ;; *) echo please welcome ;; esac ;;\n*) echo no welcome ;;\nesac\n",
        held.join("|")
    )
}

/// A prompt that is live, and candidates of these texts.
async fn rig(database: TestDatabase, candidates: &[&str]) -> Rig {
    database.add_users(1).await;
    over(Rig::new(database), candidates).await
}

async fn over(rig: Rig, candidates: &[&str]) -> Rig {
    let components = samples::components("Answer.");
    let new = NewPrompt {
        user_id: user(),
        name: "support",
        components: &components,
        by: "ada",
    };
    rig.engine.add_prompt(new).await.unwrap();
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    pawl_store::evolution::insert_run(&mut scope, user(), &samples::optimization())
        .await
        .unwrap();
    for text in candidates {
        let candidate = PromptCandidate {
            step: 1,
            generation: 1,
            ..samples::candidate(&format!("apc_{text}"), text, CandidateStatus::Accepted)
        };
        pawl_store::evolution::propose(&mut scope, user(), &candidate)
            .await
            .unwrap();
    }
    scope.commit().await.unwrap();
    rig
}

async fn promote(rig: &Rig, candidate: &str, on_refusal: OnRefusal) -> PromotionVerdict {
    attempt(rig, candidate, on_refusal, &agent()).await.unwrap()
}

async fn attempt(
    rig: &Rig,
    candidate: &str,
    on_refusal: OnRefusal,
    agent: &str,
) -> Result<PromotionVerdict, EngineError> {
    let agent = rig.file(&format!("{candidate}.sh"), agent);
    let promotion = Promotion {
        user_id: user(),
        candidate_id: candidate,
        name: "support",
        by: "ada",
        reason: "the suite passes",
        on_refusal,
        run: RunRequest {
            suite: rig.file("suite.yaml", &suite()).into(),
            checks: None,
            target: TargetChoice::Named(format!("exec:sh {}", agent.display())),
            ..rig.request(1, "echo")
        },
        weights: Weights::new(),
        workers: 4,
    };
    rig.engine.promote(promotion).await
}

fn objections(verdict: &PromotionVerdict) -> Vec<String> {
    let findings = verdict.findings.to_value();
    let objections = findings["objections"].as_array().unwrap().iter();
    objections.map(|one| one.as_str().unwrap().to_owned()).collect()
}

async fn live(rig: &Rig) -> (i64, Value) {
    let live = rig.engine.live_prompt(user(), "support").await.unwrap().unwrap();
    (live.version, Value::from(live.components[0].text.as_str()))
}

async fn what_is_better_becomes_live_and_the_way_back_is_there(database: TestDatabase) {
    let rig = rig(database, &["GOOD"]).await;
    let verdict = promote(&rig, "apc_GOOD", OnRefusal::Refuse).await;
    assert_eq!(verdict.kind, VerdictKind::Promoted, "{:?}", objections(&verdict));
    assert_eq!((verdict.from_version, verdict.to_version), (Some(1), Some(2)));
    assert_eq!(live(&rig).await, (2, "GOOD".into()));
    let findings = verdict.findings.to_value();
    let comparison = &findings["hold_out"]["comparison"];
    assert_eq!(comparison["scores"]["difference"]["mean"], 1.0);
    assert!(comparison["rates"]["p_value"].as_f64().unwrap() < 0.05);
    assert_eq!(findings["controls"]["tests"], 4);
    let actor = Actor::Tenant(user());
    let tried = rig.engine.prompt_evaluations(actor, "apc_GOOD").await.unwrap();
    let examples = findings["hold_out"]["examples"].as_u64().unwrap();
    assert_eq!(tried.len() as u64, examples + 4);
    for one in &tried {
        let trace = one.trace.as_ref().unwrap().to_value();
        assert!(one.example_id.starts_with("gate:"), "{}", one.example_id);
        assert_eq!(
            (&trace["evolution"]["purpose"], &trace["evolution"]["verdict"]),
            (&"gate".into(), &verdict.id.as_str().into())
        );
    }

    let back = rig
        .engine
        .roll_back((user(), "support"), None, ("ada", "too chatty"))
        .await
        .unwrap();
    assert_eq!((back.kind, back.to_version), (VerdictKind::RolledBack, Some(1)));
    assert_eq!(live(&rig).await, (1, "Answer.".into()));
    let nowhere = rig
        .engine
        .roll_back((user(), "support"), Some(7), ("ada", "again"));
    assert!(nowhere.await.unwrap_err().to_string().contains("no version 7"));
    rig.engine
        .roll_back((user(), "support"), Some(2), ("ada", "not so chatty"))
        .await
        .unwrap();
    assert_eq!(live(&rig).await.0, 2);
    let detail = rig.engine.prompt(user(), "support").await.unwrap().unwrap();
    assert_eq!((detail.versions.len(), detail.verdicts.len()), (2, 4));
}

async fn what_only_knows_its_examples_is_refused(database: TestDatabase) {
    let rig = rig(database, &["OVERFIT"]).await;
    let verdict = promote(&rig, "apc_OVERFIT", OnRefusal::Refuse).await;
    assert_eq!((verdict.kind, verdict.to_version), (VerdictKind::Refused, None));
    let objections = objections(&verdict);
    assert_eq!(objections.len(), 1, "{objections:?}");
    assert!(
        objections[0].contains("+0.000 against the live prompt"),
        "{objections:?}"
    );
    assert_eq!(live(&rig).await.0, 1);
    let detail = rig.engine.prompt(user(), "support").await.unwrap().unwrap();
    assert!(detail.verdicts.iter().any(|one| one.kind == VerdictKind::Refused));
}

async fn a_lazy_fix_is_refused_by_the_controls(database: TestDatabase) {
    let rig = rig(database, &["LAZY"]).await;
    let verdict = promote(&rig, "apc_LAZY", OnRefusal::Refuse).await;
    let objections = objections(&verdict);
    assert_eq!(verdict.kind, VerdictKind::Refused);
    assert_eq!(
        objections,
        ["it fails 4 of 4 controls: control-0, control-1, control-2, control-3"]
    );
}

/// An approved test of opened software, and a month in which returns went well.
async fn healthy_neighbours_of_approved_tests_are_controls(database: TestDatabase) {
    let server = ModelServer::start(Script::new().otherwise(Reply::json(&draft::rig::answer()))).await;
    let mut drafting = draft::rig::Rig::new(database).await;
    drafting.set_model(&server, None);
    for id in ["a", "b"] {
        drafting.incident(id).await;
    }
    for id in 0..10 {
        let prompt = format!("May I send number {id} back?");
        let asked = (prompt.as_str(), "Unopened items, yes.");
        drafting.store(&format!("good-{id}"), asked, None).await;
    }
    drafting.mine().await;
    drafting.draft(drafting.request()).await;
    let id = drafting.suggestions().await[0].suggestion_id.clone();
    let review = Review {
        user_id: user(),
        suggestion_id: &id,
        by: "ada",
    };
    let approve = Verdict::Approve { notes: None };
    drafting.engine.decide(review, approve).await.unwrap();

    let rig = over(Rig::new(drafting.database), &["GOOD", "SAYS_NO"]).await;
    let right = r#"{"output": "Opened software cannot be returned.", "tool_calls": [{"name": "search_policy", "arguments": {}}]}"#;
    let agent = format!(
        "read -r request\ncase \"$request\" in\n*'opened software'*) echo '{right}' ;;\n\
         *SAYS_NO*'send number'*|*'send number'*SAYS_NO*) echo 'Not even within 90 days.' ;;\n\
         *'send number'*) echo 'Unopened items, yes.' ;;\n*GOOD*|*SAYS_NO*) echo please welcome ;;\n*) echo no welcome ;;\nesac\n"
    );
    let good = attempt(&rig, "apc_GOOD", OnRefusal::Refuse, &agent)
        .await
        .unwrap();
    let findings = good.findings.to_value();
    assert_eq!(objections(&good), [""; 0]);
    assert_eq!(
        (&findings["approved"]["tests"], &findings["controls"]["tests"]),
        (&1.into(), &7.into())
    );
    let bad = attempt(&rig, "apc_SAYS_NO", OnRefusal::Refuse, &agent)
        .await
        .unwrap();
    assert_eq!(bad.kind, VerdictKind::Refused);
    let names = [1, 2, 3].map(|n| format!("eval_{id}-like-{n}"));
    let why = format!("it fails 3 of 7 controls: {}", names.join(", "));
    assert!(objections(&bad).contains(&why), "{:?}", objections(&bad));
}

async fn a_refusal_is_overridden_by_name_and_reason_alone(database: TestDatabase) {
    let rig = rig(database, &["LAZY"]).await;
    let verdict = promote(&rig, "apc_LAZY", OnRefusal::Override).await;
    assert_eq!(
        (verdict.kind, verdict.to_version),
        (VerdictKind::Overridden, Some(2))
    );
    assert_eq!(objections(&verdict).len(), 1);
    for (by, reason) in [("", "a reason"), ("ada", " ")] {
        let error = rig
            .engine
            .roll_back((user(), "support"), None, (by, reason))
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("needs the name of who decides"),
            "{error}"
        );
    }
    assert_eq!(live(&rig).await.0, 2);
}

async fn of_two_who_promote_at_once_one_does(database: TestDatabase) {
    let rig = rig(database, &["GOOD", "GOOD_TOO"]).await;
    // The agent of each says that it was asked, and waits for the other's: by then both know what is live.
    let waiting = |own: &str, other: &str| {
        let file = |name: &str| rig.file(name, "").display().to_string();
        let (own, other) = (file(own), file(other));
        format!(
            "echo >> {own}\ntries=0\nuntil [ -s {other} ] || [ $tries = 500 ]; do sleep 0.02; tries=$((tries + 1)); done\n{}",
            agent()
        )
    };
    let agents = [waiting("one", "other"), waiting("other", "one")];
    let (one, other) = tokio::join!(
        attempt(&rig, "apc_GOOD", OnRefusal::Override, &agents[0]),
        attempt(&rig, "apc_GOOD_TOO", OnRefusal::Override, &agents[1])
    );
    // Both overrule the gate, so that it is the version they compared with that decides.
    let (promoted, late): (Vec<_>, Vec<_>) = [one, other].into_iter().partition(Result::is_ok);
    assert_eq!((promoted.len(), late.len()), (1, 1));
    let late = late.into_iter().next().unwrap().unwrap_err().to_string();
    assert!(late.contains("another live version by now"), "{late}");
    assert_eq!(live(&rig).await.0, 2);
    let detail = rig.engine.prompt(user(), "support").await.unwrap().unwrap();
    assert_eq!((detail.versions.len(), detail.verdicts.len()), (2, 2));
}
