//! Who is shown which page: every one of them, as everybody.

use std::collections::BTreeSet;

use pawl_model::State;
use pawl_testkit::http::Method;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines, samples};

use super::browser::Browser;
use super::{HOSTILE, header, interaction, store};

on_both_engines!(
    whoever_has_not_logged_in_is_sent_to_do_so,
    owners_see_their_pages_and_nothing_in_them_runs,
);

/// An id that nothing has.
const NOBODYS: &str = "00000000-0000-0000-0000-00000000000a";

/// A page that is not here fails the test: decide who may see it, and write it down.
const PAGES: &[(&str, Shown)] = &[
    ("/", Shown::Redirect),
    ("/login", Shown::ToGuests),
    ("/sign-up", Shown::ToGuests),
    ("/log-out", Shown::Form),
    ("/theme", Shown::Form),
    ("/dashboard", Shown::ToUsers),
    ("/dashboard/live", Shown::AsItHappens),
    ("/interactions", Shown::ToUsers),
    ("/interactions/{id}", Shown::ToOwner),
    ("/interactions/export/{format}", Shown::Download),
    ("/suggestions", Shown::ToUsers),
    ("/suggestions/mine", Shown::Form),
    ("/suggestions/draft", Shown::Form),
    ("/suggestions/{id}", Shown::ToOwner),
    ("/suggestions/{id}/preview", Shown::Form),
    ("/suggestions/{id}/draft", Shown::Form),
    ("/suggestions/{id}/export/{format}", Shown::Download),
    ("/suggestions/{id}/approve", Shown::Form),
    ("/suggestions/{id}/reject", Shown::Form),
    ("/prompts", Shown::ToUsers),
    ("/prompts/{name}", Shown::ToOwner),
    ("/prompts/{name}/evolve", Shown::Form),
    ("/prompts/{name}/promote", Shown::Form),
    ("/prompts/{name}/rollback", Shown::Form),
    ("/optimizations/{id}", Shown::ToOwner),
    ("/optimizations/{id}/live", Shown::AsItHappens),
    ("/optimizations/{id}/cancel", Shown::Form),
    ("/optimizations/{id}/resume", Shown::Form),
    ("/lineage/{id}", Shown::ToOwner),
    ("/runs", Shown::ToUsers),
    ("/runs/{run}", Shown::ToOwner),
    ("/runs/{run}/progress", Shown::Part),
    ("/runs/{run}/compare", Shown::Onwards),
    ("/runs/{run}/compare/{other}", Shown::ToOwner),
    ("/settings", Shown::ToUsers),
    ("/settings/policy", Shown::Form),
    ("/settings/preview", Shown::Form),
    ("/settings/keys", Shown::Form),
    ("/settings/keys/{id}/revoke", Shown::Form),
    ("/settings/password", Shown::Form),
    ("/settings/export", Shown::Download),
    ("/settings/delete", Shown::Form),
];

/// To whom a page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// To those who have not logged in.
    ToGuests,
    /// To every user, of what is theirs.
    ToUsers,
    /// To the user whose it is.
    ToOwner,
    /// To the user whose it is, as a part of a page.
    Part,
    /// To every user, and it leads to another page.
    Onwards,
    /// To every user, as a file of what is theirs.
    Download,
    /// To every user, and it goes on for as long as they look.
    AsItHappens,
    /// It only leads somewhere.
    Redirect,
    /// It takes a form, and leads somewhere.
    Form,
}

#[test]
fn every_page_is_tested() {
    let known: BTreeSet<&str> = PAGES.iter().map(|(path, _)| *path).collect();
    let there: BTreeSet<&str> = pawl_server::pages().into_iter().collect();
    assert_eq!(known, there);
}

async fn whoever_has_not_logged_in_is_sent_to_do_so(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::new(&server);
    // A cookie that nobody was given is none.
    browser.set_cookie("pawl_session", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    for (path, shown) in PAGES {
        match shown {
            Shown::ToUsers
            | Shown::ToOwner
            | Shown::Part
            | Shown::Onwards
            | Shown::Download
            | Shown::AsItHappens => {
                let path = path.replace("{format}", "csv");
                let path = ["{id}", "{run}", "{other}", "{name}"]
                    .iter()
                    .fold(path, |path, name| path.replace(name, NOBODYS));
                let address = [&path, "?a=b"].concat();
                let next = ["/login?next=", &path.replace('/', "%2F"), "%3Fa%3Db"].concat();
                let answer = browser.get(&address).await;
                assert_eq!(answer.status().as_u16(), 303, "{path}");
                assert_eq!(header(&answer, "location"), next);
                let of_script = browser
                    .request(Method::GET, &address)
                    .header("hx-request", "true");
                let answer = browser.send(of_script).await;
                assert_eq!(
                    (answer.status().as_u16(), header(&answer, "hx-redirect")),
                    (204, &*next)
                );
            }
            Shown::Form | Shown::Redirect => {
                let path = path.replace("{id}", NOBODYS).replace("{name}", NOBODYS);
                let answer = match shown {
                    Shown::Form => browser.post(&path, &[]).await,
                    _ => browser.get(&path).await,
                };
                assert_eq!(
                    (answer.status().as_u16(), header(&answer, "location")),
                    (303, "/login"),
                    "{path}"
                );
            }
            Shown::ToGuests => assert_eq!(browser.get(path).await.status().as_u16(), 200, "{path}"),
        }
    }
}

async fn owners_see_their_pages_and_nothing_in_them_runs(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let id = store(&server, interaction(server.user_a.id, HOSTILE)).await;
    let mut run = samples::run(1);
    (run.user_id, run.run_name) = (Some(server.user_a.id), Some(HOSTILE.to_owned()));
    server
        .store_run(&run, &[samples::case(&run, 1, State::Failed)])
        .await;
    let suggestion = super::suggestions::suggested(&server, HOSTILE).await;
    let optimization = pawl_testkit::evolution::evolved(&server, HOSTILE).await;
    let owner = Browser::of(&server, &server.user_a).await;
    let other = Browser::of(&server, &server.user_b).await;
    for (path, shown) in PAGES {
        if !matches!(shown, Shown::ToUsers | Shown::ToOwner | Shown::Part) {
            continue;
        }
        let path = path.replace(
            "/optimizations/{id}",
            &["/optimizations/", &optimization].concat(),
        );
        let path = path.replace("/lineage/{id}", "/lineage/support");
        let path = path.replace("{name}", "support");
        let path = path.replace("/suggestions/{id}", &["/suggestions/", &suggestion].concat());
        let path = path.replace("{id}", &id.to_string());
        let path = path.replace("{run}", &run.id.to_string());
        let path = path.replace("{other}", &run.id.to_string());
        let answer = owner.get(&path).await;
        assert_eq!(answer.status().as_u16(), 200, "{path}");
        let policy = header(&answer, "content-security-policy");
        assert!(
            policy.contains("script-src 'self'; style-src 'self'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(header(&answer, "cache-control"), "no-store", "{path}");
        assert_eq!(header(&answer, "referrer-policy"), "same-origin", "{path}");
        let html = answer.text().await.unwrap();
        for inline in [" style=", "<style", "<script>", "<img", "javascript:"] {
            assert!(!html.contains(inline), "{path} has `{inline}`");
        }
        assert!(
            *shown == Shown::Part || html.contains(&server.user_a.email),
            "{path} says who has logged in"
        );
        let status = if *shown == Shown::ToUsers { 200 } else { 404 };
        let answer = other.get(&path).await;
        assert_eq!(answer.status().as_u16(), status, "{path}");
        let html = answer.text().await.unwrap();
        assert!(!html.contains("onerror"), "{path} shows what is somebody else's");
    }
}

#[tokio::test]
async fn errors_are_pages_for_people_and_documents_for_programs() {
    let server = TestServer::new(TestDatabase::new(pawl_testkit::Engine::Sqlite).await).await;
    let browser = Browser::new(&server);
    let answer = browser.get("/nowhere").await;
    assert_eq!(answer.status().as_u16(), 404);
    assert_eq!(header(&answer, "content-type"), "text/html; charset=utf-8");
    assert!(header(&answer, "content-security-policy").contains("script-src 'self'"));
    let id = header(&answer, "x-request-id").to_owned();
    let page = answer.text().await.unwrap();
    assert!(
        page.contains("There is nothing here") && page.contains(&id),
        "{page}"
    );
    let program = browser.request(Method::GET, "/nowhere").header("accept", "*/*");
    assert_eq!(program.send().await.unwrap().status().as_u16(), 404);
    let program = server.get(pawl_testkit::Identity::Nobody, "/nowhere");
    let answer = program.send().await.unwrap();
    assert_eq!(header(&answer, "content-type"), "application/problem+json");
}

#[tokio::test]
async fn what_pages_load_is_kept_for_ever_and_only_once() {
    let server = TestServer::new(TestDatabase::new(pawl_testkit::Engine::Sqlite).await).await;
    let browser = Browser::new(&server);
    let page = browser.page("/login").await;
    let urls: Vec<&str> = page
        .split('"')
        .filter(|part| part.starts_with("/assets/"))
        .collect();
    assert!(urls.len() >= 3, "{urls:?}");
    for url in urls {
        let answer = browser.get(url).await;
        assert_eq!(answer.status().as_u16(), 200, "{url}");
        assert_eq!(
            header(&answer, "cache-control"),
            "public, max-age=31536000, immutable"
        );
        let (path, _) = url.split_once('?').unwrap();
        let other = browser.get(&[path, "?v=another"].concat()).await;
        assert_eq!(header(&other, "cache-control"), "no-cache");
    }
    assert_eq!(browser.get("/assets/..%2fapp.css").await.status().as_u16(), 404);
}
