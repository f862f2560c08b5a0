//! What suites found.

use pawl_model::{CaseRecord, Json, Run, RunStatus, State};
use pawl_testkit::http::Method;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines, samples};

use super::browser::Browser;
use super::{HOSTILE, header};

on_both_engines!(
    pages_of_runs_join,
    a_run_shows_its_cases_by_checks,
    a_case_is_opened_and_its_texts_are_texts,
    cases_that_flipped_are_found,
    two_runs_differ_word_by_word,
    a_running_run_tells_how_far_it_is,
    runs_of_others_are_not_there,
);

async fn stored(server: &TestServer, n: u32, states: &[State]) -> Run {
    stored_with(server, n, states, |_| {}).await
}

/// A completed run of the first user with a case of each of these states, changed.
async fn stored_with(server: &TestServer, n: u32, states: &[State], change: impl Fn(&mut CaseRecord)) -> Run {
    let run = Run {
        user_id: Some(server.user_a.id),
        run_name: Some(["run ", &n.to_string(), HOSTILE].concat()),
        status: RunStatus::Completed,
        total_cases: i32::try_from(states.len()).unwrap(),
        passed_cases: i32::try_from(states.iter().filter(|state| **state == State::Passed).count()).unwrap(),
        ..samples::run(n)
    };
    let case = |(state, n): (&State, u32)| {
        let mut case = samples::case(&run, n, *state);
        change(&mut case);
        case
    };
    let cases: Vec<_> = states.iter().zip(0..).map(case).collect();
    server.store_run(&run, &cases).await;
    run
}

/// The first link of a page that leads there.
fn link<'p>(page: &'p str, start: &str) -> Option<&'p str> {
    let href = page
        .split("href=\"")
        .skip(1)
        .find(|rest| rest.starts_with(start))?;
    href.split('"').next()
}

async fn pages_of_runs_join(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    assert!(browser.page("/runs").await.contains("No runs yet"));
    for n in 0..60 {
        stored(&server, n, &[State::Passed, State::Failed]).await;
    }
    let mut next = Some("/runs?suite=stories".to_owned());
    let mut rows = 0;
    while let Some(path) = next {
        let page = browser.page(&path).await;
        assert!(!page.contains("<script>alert"), "a name is a text");
        rows += page.matches("data-opens-row").count();
        next = link(&page, "/runs?suite=stories&#38;after=").map(|href| href.replace("&#38;", "&"));
    }
    assert_eq!(rows, 60);
    let page = browser.page("/runs").await;
    assert!(page.contains("50.0\u{a0}% (9–91) · 1 of 2"), "{page}");
    assert!(
        browser
            .page("/runs?status=running")
            .await
            .contains("No run is like that")
    );
    assert_eq!(browser.get("/runs?after=x").await.status().as_u16(), 400);
}

async fn a_run_shows_its_cases_by_checks(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let mut states = vec![State::Passed; 60];
    states[7] = State::Failed;
    states[8] = State::Error;
    let run = stored(&server, 1, &states).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let path = ["/runs/", &run.id.to_string()].concat();
    let page = browser.page(&path).await;
    for text in [
        "96.7\u{a0}% (89–99) · 58 of 60",
        "98.3\u{a0}%",
        "failed: no such text",
        ">seed_7<",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    assert_eq!(page.matches("data-opens-row").count(), 50);
    let next = link(&page, &[&path, "?after="].concat()).unwrap();
    assert_eq!(browser.page(next).await.matches("data-opens-row").count(), 10);
    let failed = browser.page(&[&path, "?show=failed"].concat()).await;
    assert_eq!(failed.matches("data-opens-row").count(), 1);
    assert!(
        browser
            .page(&[&path, "?show=skipped"].concat())
            .await
            .contains("No case is like that.")
    );
    for odd in ["?show=odd", "?after=odd"] {
        assert_eq!(
            browser.get(&[&path, odd].concat()).await.status().as_u16(),
            400,
            "{odd}"
        );
    }
}

async fn a_case_is_opened_and_its_texts_are_texts(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let hostile =
        serde_json::json!({ "title": HOSTILE, "description": HOSTILE, "acceptance_criteria": [HOSTILE] });
    let run = stored_with(&server, 1, &[State::Failed], |case| {
        case.output_story = Json::parse(&hostile.to_string()).ok();
        case.error = Some(HOSTILE.to_owned());
    })
    .await;
    let other = stored(&server, 2, &[State::Passed]).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let path = ["/runs/", &run.id.to_string()].concat();
    let page = browser.page(&path).await;
    let page = browser
        .page(link(&page, &[&path, "?case="].concat()).unwrap())
        .await;
    assert!(
        page.contains("class=\"drawer\"") && page.contains("class=\"story\""),
        "{page}"
    );
    assert!(
        !page.contains("<script>alert") && !page.contains("<img"),
        "{page}"
    );
    assert!(page.contains(&["href=\"", &path, "\" data-closes"].concat()));
    // A case of another run is none of this one.
    let page = browser.page(&["/runs/", &other.id.to_string()].concat()).await;
    let (_, case) = link(&page, "/runs/")
        .and_then(|_| page.split_once("?case="))
        .unwrap();
    let foreign = [&path, "?case=", &case[..32]].concat();
    assert_eq!(browser.get(&foreign).await.status().as_u16(), 404);
    assert_eq!(
        browser
            .get(&[&path, "?case=odd"].concat())
            .await
            .status()
            .as_u16(),
        404
    );
}

async fn cases_that_flipped_are_found(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let states = |flipped: usize| {
        let mut states = vec![State::Passed; 40];
        states[..flipped].fill(State::Failed);
        states
    };
    let first = stored(&server, 1, &states(0)).await;
    let same = stored(&server, 2, &states(0)).await;
    let worse = stored(&server, 3, &states(25)).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let flipped = async |run: &Run| {
        browser
            .page(&["/runs/", &run.id.to_string(), "?show=flipped"].concat())
            .await
    };
    assert!(flipped(&first).await.contains("There is no run before this one."));
    assert!(
        flipped(&same)
            .await
            .contains("No case flipped since the run before.")
    );
    let page = flipped(&worse).await;
    assert_eq!(page.matches("data-opens-row").count(), 20);
    assert!(page.contains("The first of 20 of 25 that flipped."), "{page}");
}

async fn two_runs_differ_word_by_word(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let say = |text: &'static str| {
        move |case: &mut CaseRecord| (case.output, case.output_story) = (Some(text.to_owned()), None)
    };
    let a = stored_with(&server, 1, &[State::Passed; 8], say("the order is <b>late</b>")).await;
    let b = stored_with(&server, 2, &[State::Failed; 8], say("the parcel is <b>late</b>")).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let chosen = ["/runs/", &b.id.to_string(), "/compare?with=", &a.id.to_string()].concat();
    let answer = browser.get(&chosen).await;
    assert_eq!(answer.status().as_u16(), 303);
    let page = browser.page(header(&answer, "location")).await;
    for text in [
        "B passes less often, and chance does not explain it",
        "−100.0 points",
        "0.008",
        "<del>order</del><ins>parcel</ins>",
        "contains: no such text",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    assert!(!page.contains("<b>late"), "{page}");
    let back = ["/runs/", &b.id.to_string(), "/compare/", &a.id.to_string()].concat();
    assert!(browser.page(&back).await.contains("B passes more often"));
    let same = ["/runs/", &a.id.to_string(), "/compare/", &a.id.to_string()].concat();
    assert!(
        browser
            .page(&same)
            .await
            .contains("No difference that chance does not explain")
    );
}

async fn a_running_run_tells_how_far_it_is(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let mut run = samples::run(1);
    run.user_id = Some(server.user_a.id);
    let cases = [State::Passed, State::Passed, State::Error].iter().zip(0..);
    let cases: Vec<_> = cases.map(|(state, n)| samples::case(&run, n, *state)).collect();
    server.store_run(&run, &cases).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let path = ["/runs/", &run.id.to_string()].concat();
    let poll = ["hx-get=\"", &path, "/progress\""].concat();
    for page in [
        browser.page(&path).await,
        browser.page(&[&path, "/progress"].concat()).await,
    ] {
        assert!(
            page.contains("2 passed, 1 error so far") && page.contains(&poll),
            "{page}"
        );
    }
    let over = stored(&server, 2, &[State::Passed]).await;
    let path = ["/runs/", &over.id.to_string()].concat();
    assert!(!browser.page(&path).await.contains("hx-trigger=\"every"));
    let answer = browser.get(&[&path, "/progress"].concat()).await;
    assert_eq!(
        header(&answer, "hx-refresh"),
        "true",
        "the page loads anew, and asks no more"
    );
}

async fn runs_of_others_are_not_there(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let run = stored(&server, 1, &[State::Passed]).await;
    let browser = Browser::of(&server, &server.user_b).await;
    assert!(browser.page("/runs").await.contains("No runs yet"));
    let id = run.id.to_string();
    for path in ["", "/progress", "?show=failed"] {
        let request = browser.request(Method::GET, &["/runs/", &id, path].concat());
        assert_eq!(browser.send(request).await.status().as_u16(), 404, "{path}");
    }
    let compared = ["/runs/", &id, "/compare/", &id].concat();
    assert_eq!(browser.get(&compared).await.status().as_u16(), 404);
}
