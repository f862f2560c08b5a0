//! A browser without a script: it keeps cookies, and says where its forms come from.

use std::sync::Mutex;

use pawl_testkit::http::{Client, Method, RequestBuilder, Response, redirect};
use pawl_testkit::{TestServer, TestUser};

/// A browser, which does not follow redirects by itself.
pub(crate) struct Browser {
    client: Client,
    url: String,
    cookies: Mutex<Vec<(String, String)>>,
}

impl Browser {
    pub(crate) fn new(server: &TestServer) -> Self {
        let client = Client::builder().redirect(redirect::Policy::none());
        Self {
            client: client.build().unwrap(),
            url: server.url.clone(),
            cookies: Mutex::default(),
        }
    }

    /// One in which this user has logged in.
    pub(crate) async fn of(server: &TestServer, user: &TestUser) -> Self {
        let browser = Self::new(server);
        let form = [("email", &*user.email), ("password", TestServer::PASSWORD)];
        let answer = browser.post("/login", &form).await;
        assert_eq!(answer.status().as_u16(), 303);
        browser
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        let cookies = self.cookies.lock().unwrap();
        let found = cookies.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    }

    pub(crate) fn set_cookie(&self, name: &str, value: &str) {
        let mut cookies = self.cookies.lock().unwrap();
        cookies.retain(|(known, _)| known != name);
        cookies.push((name.to_owned(), value.to_owned()));
    }

    /// A request as browsers send it, but for where it comes from.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let cookies = self.cookies.lock().unwrap();
        let cookies: Vec<String> = cookies
            .iter()
            .map(|(name, value)| [name, "=", value].concat())
            .collect();
        self.client
            .request(method, [&*self.url, path].concat())
            .header(
                "accept",
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            )
            .header("cookie", cookies.join("; "))
    }

    /// Sends it, and keeps the cookies that it is given.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Response {
        let response = request.send().await.unwrap();
        for given in response.headers().get_all("set-cookie") {
            let (cookie, _) = given.to_str().unwrap().split_once(';').unwrap();
            let (name, value) = cookie.split_once('=').unwrap();
            self.set_cookie(name, value);
        }
        response
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send(self.request(Method::GET, path)).await
    }

    /// A page that is there.
    pub(crate) async fn page(&self, path: &str) -> String {
        let response = self.get(path).await;
        assert_eq!(response.status().as_u16(), 200, "{path}");
        response.text().await.unwrap()
    }

    /// Sends a form from a page of the same server.
    pub(crate) async fn post(&self, path: &str, form: &[(&str, &str)]) -> Response {
        let request = self
            .request(Method::POST, path)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encoded(form));
        self.send(request).await
    }
}

/// A form as browsers write it.
pub(crate) fn encoded(form: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(form)
        .finish()
}
