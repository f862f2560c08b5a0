//! The manual, as browsers and programs read it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pawl_testkit::http::StatusCode;
use pawl_testkit::{Engine, Identity, TestDatabase, TestServer};

const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// Another's page, which has a test of its own.
const API: &str = "/docs/api";

async fn server() -> TestServer {
    TestServer::new(TestDatabase::new(Engine::Sqlite).await).await
}

/// What the attributes of this name say.
fn values<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let before = [" ", name, "=\""].concat();
    let parts = page.split(&*before).skip(1);
    parts.filter_map(|rest| rest.split('"').next()).collect()
}

/// Every page of the manual is visited, and every link of each is followed.
#[tokio::test]
async fn every_link_of_the_manual_leads_somewhere() {
    let server = server().await;
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    let mut links: BTreeSet<(String, String)> = BTreeSet::new();
    let mut open = vec!["/docs".to_owned()];
    while let Some(path) = open.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let request = server.get(Identity::Nobody, &path).header("accept", BROWSER);
        let answer = request.send().await.unwrap();
        // Other pages send whoever has not logged in to do so.
        let status = answer.status();
        assert!(
            status.is_success() || status.is_redirection(),
            "{path}: {status}, linked by {links:?}"
        );
        let is_page = answer.headers()["content-type"] == "text/html; charset=utf-8";
        let page = if is_page {
            answer.text().await.unwrap()
        } else {
            String::new()
        };
        if path.starts_with("/docs") && path != API {
            for link in [values(&page, "href"), values(&page, "src")].concat() {
                let link = link.replace("&amp;", "&");
                if link.starts_with("https://") {
                    continue;
                }
                assert!(link.starts_with(['/', '#']), "{link} on {path}");
                let (to, fragment) = link.split_once('#').unwrap_or((&link, ""));
                let to = if to.is_empty() {
                    path.clone()
                } else {
                    to.to_owned()
                };
                if !fragment.is_empty() {
                    links.insert((to.clone(), fragment.to_owned()));
                }
                open.push(to);
            }
            for forbidden in ["<script", " style=", "<style"] {
                assert!(!page.contains(forbidden), "{forbidden} on {path}");
            }
        }
        pages.insert(path, page);
    }
    for (page, fragment) in links.iter().filter(|(page, _)| page != API) {
        let ids = values(&pages[page], "id");
        assert!(ids.contains(&&**fragment), "{page} has no {fragment}");
    }
    // Each document has its page, and something leads to it.
    for folder in ["docs", "docs/adr", "docs/errors"] {
        let documents =
            std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)).unwrap();
        for document in documents {
            let name = document
                .unwrap()
                .file_name()
                .into_string()
                .unwrap()
                .to_lowercase();
            if let Some(name) = name.strip_suffix(".md").filter(|name| *name != "readme") {
                let page = ["/", folder, "/", name].concat();
                assert!(pages.contains_key(&page), "{page} is linked by nothing");
            }
        }
    }
}

#[tokio::test]
async fn browsers_get_pages_and_programs_the_markdown() {
    let server = server().await;
    let get = async |path: &str, accept: &str| {
        let request = server.get(Identity::Nobody, path).header("accept", accept);
        request.send().await.unwrap()
    };
    let page = get("/docs/errors/not_found", BROWSER).await;
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(policy.contains("style-src 'self';"), "{policy}");
    let page = page.text().await.unwrap();
    assert!(page.contains("<h1 id=\"not_found\">not_found</h1>"), "{page}");
    let markdown = get("/docs/errors/not_found", "*/*").await;
    assert_eq!(markdown.headers()["content-type"], "text/markdown; charset=utf-8");
    assert_eq!(markdown.headers()["vary"], "accept");
    assert!(markdown.text().await.unwrap().starts_with("# not_found\n"));

    let picture = get("/docs/images/loop.svg", "image/*").await;
    assert_eq!(picture.headers()["content-type"], "image/svg+xml");
    for nowhere in [
        "/docs/nowhere",
        "/docs/errors/..%2f..%2fCargo",
        "/docs/images/../README.md",
        "/docs/README.md",
    ] {
        assert_eq!(
            get(nowhere, BROWSER).await.status(),
            StatusCode::NOT_FOUND,
            "{nowhere}"
        );
    }
}
