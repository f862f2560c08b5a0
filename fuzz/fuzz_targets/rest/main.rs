//! Any request by anybody: the real router over a SQLite database with rows of two tenants.

#![no_main]

mod instance;
mod request;

use std::cell::RefCell;

use axum::http::{Method, StatusCode};
use libfuzzer_sys::{Corpus, fuzz_target};
use pawl_testkit::Identity;
use serde_json::Value;

use self::instance::{Answer, Instance, MARK_OF_A, MARK_OF_B};
use self::request::Request;

thread_local! {
    static INSTANCE: RefCell<Instance> = RefCell::new(Instance::new());
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(request) = Request::parse(bytes) else {
        return Corpus::Reject;
    };
    INSTANCE.with_borrow_mut(|instance| {
        let answer = instance.answer(&request);
        judge(&request, &answer);
        let changed = answer.status.is_success() && !request.method.is_safe();
        if changed {
            for mark in others(request.identity) {
                assert!(instance.rows_stand(mark), "{request:?} changed what is {mark}");
            }
        }
        // Every request meets the same rows and fresh limits, so that it does the same when it is tried again.
        if changed || answer.status == StatusCode::TOO_MANY_REQUESTS {
            instance.reset();
        }
    });
    Corpus::Keep
});

/// The marks on what is none of their business.
fn others(identity: Identity) -> &'static [&'static str] {
    match identity {
        Identity::Nobody | Identity::Anonymous => &[MARK_OF_A, MARK_OF_B],
        Identity::UserA => &[MARK_OF_B],
        Identity::UserB => &[MARK_OF_A],
        Identity::Service => &[],
    }
}

fn judge(request: &Request, answer: &Answer) {
    let Answer { status, body } = answer;
    let text = String::from_utf8_lossy(body);
    assert!(
        !status.is_server_error() || *status == StatusCode::SERVICE_UNAVAILABLE,
        "{request:?}: {status} {text}"
    );
    for mark in others(request.identity) {
        assert!(!text.contains(mark), "{request:?} shows what is {mark}: {text}");
    }
    if status.as_u16() >= 400 && request.method != Method::HEAD {
        let document: Option<Value> = serde_json::from_slice(body).ok();
        let code = document.as_ref().and_then(|document| document.get("code"));
        let is_page = request.accepts_pages() && text.trim_start().starts_with("<!doctype html>");
        assert!(
            code.is_some() || is_page,
            "{request:?}: {status} without a code: {text}"
        );
    }
}
