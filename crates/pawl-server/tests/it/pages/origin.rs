//! Forms that other sites send in somebody's name.

use pawl_testkit::http::Method;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines};

use super::browser::Browser;
use super::header;

on_both_engines!(forms_of_other_sites_change_nothing);

async fn forms_of_other_sites_change_nothing(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let own = server.url.as_str();
    for headers in [
        &[("sec-fetch-site", "cross-site")][..],
        &[("sec-fetch-site", "same-site"), ("origin", own)],
        &[("sec-fetch-site", "none")],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[],
    ] {
        let mut request = browser.request(Method::POST, "/log-out");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = browser.send(request).await;
        assert_eq!(answer.status().as_u16(), 403, "{headers:?}");
        assert_eq!(header(&answer, "set-cookie"), "", "{headers:?}");
        let page = answer.text().await.unwrap();
        assert!(page.contains("nothing was changed"), "{headers:?}: {page}");
        assert_eq!(
            browser.get("/dashboard").await.status().as_u16(),
            200,
            "{headers:?}"
        );
    }
    let old = browser.request(Method::POST, "/log-out").header("origin", own);
    assert_eq!(browser.send(old).await.status().as_u16(), 303);
    assert_eq!(browser.get("/dashboard").await.status().as_u16(), 303);
}
