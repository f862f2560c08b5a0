//! The web pages, as browsers without a script meet them.

mod access;
mod browser;
mod login;
mod origin;

use pawl_testkit::http::Response;

/// The header of a response; empty where it is not there.
fn header<'r>(response: &'r Response, name: &str) -> &'r str {
    let value = response.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
}
