//! One model's place at its provider: requests go there, and answers or failures come back.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;

use super::failure::{ModelFailure, ModelFailureKind};
use super::google_auth::GoogleTokens;
use crate::attempt::retry::retry_after;
use crate::attempt::{Again, Answered, Cause, Failed, GaveUp, Limiter, Sign, attempt};
use crate::client::{read, reason};
use crate::excerpt::excerpt;

/// How much of a refusal is shown, in characters.
const EXCERPT: usize = 200;

/// Set by providers that know whether another attempt can help.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) client: Client,
    pub(super) url: Url,
    /// The model, in messages.
    pub(super) shown: String,
    pub(super) headers: HeaderMap,
    /// Where the provider wants a token rather than a key.
    pub(super) tokens: Option<Arc<GoogleTokens>>,
    pub(super) limiter: Arc<Limiter>,
}

/// Why one attempt gave no answer.
pub(crate) struct Refusal {
    pub(crate) kind: ModelFailureKind,
    /// In our own words.
    pub(crate) what: String,
    /// In those of the provider.
    pub(crate) said: Option<String>,
}

impl Endpoint {
    /// Posts a document, again where that may help, and gives the bytes of the answer.
    pub(super) async fn post(
        &self,
        document: &Value,
        limit: usize,
        timeout: Duration,
    ) -> Result<Answered<Vec<u8>>, ModelFailure> {
        let body = document.to_string();
        attempt(&self.limiter, timeout, || self.send(body.clone(), limit))
            .await
            .map_err(|GaveUp { cause, retries }| {
                let (Refusal { kind, what, said }, why) = match cause {
                    Cause::TimedOut => {
                        return ModelFailure {
                            retries,
                            ..self.timed_out(timeout)
                        };
                    }
                    Cause::Paused(pause) => {
                        let what = format!("asks to wait {} s more", pause.as_secs());
                        let kind = ModelFailureKind::Throttled;
                        (
                            Refusal {
                                kind,
                                what,
                                said: None,
                            },
                            None,
                        )
                    }
                    Cause::Refused(refusal) => (refusal, None),
                    Cause::Exhausted(refusal, why) => (refusal, Some(why)),
                };
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                ModelFailure {
                    kind,
                    message: format!("{}: {what}{why}", self.shown),
                    said,
                    retries,
                }
            })
    }

    pub(super) fn timed_out(&self, timeout: Duration) -> ModelFailure {
        ModelFailure {
            kind: ModelFailureKind::Timeout,
            message: format!("{}: no answer within {} s", self.shown, timeout.as_secs_f64()),
            said: None,
            retries: 0,
        }
    }

    async fn send(&self, body: String, limit: usize) -> Result<Vec<u8>, Failed<Refusal>> {
        let mut request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        if let Some(tokens) = &self.tokens {
            request = request.header(AUTHORIZATION, tokens.bearer().await?);
        }
        let response = request.send().await.map_err(|error| broke(&error))?;
        if !response.status().is_success() {
            if let (Some(tokens), StatusCode::UNAUTHORIZED) = (&self.tokens, response.status()) {
                tokens.forget().await;
            }
            return Err(refused(response).await);
        }
        let answer = read(response, limit).await.map_err(|error| broke(&error))?;
        if answer.len() > limit {
            let what = format!("the answer is longer than {} MiB", limit / (1024 * 1024));
            return Err(Failed::for_good(Refusal {
                kind: ModelFailureKind::TooLong,
                what,
                said: None,
            }));
        }
        Ok(answer)
    }
}

/// A header that no log shows.
pub(super) fn secret_header(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A connection that did not come about or did not last.
pub(super) fn broke(error: &reqwest::Error) -> Failed<Refusal> {
    let what = if error.is_connect() {
        "cannot be reached"
    } else {
        "no whole answer"
    };
    Failed {
        error: Refusal {
            kind: ModelFailureKind::Broken,
            what: format!("{what}: {}", reason(error)),
            said: None,
        },
        again: Some(Again {
            wait: None,
            sign: Sign::Fault,
        }),
    }
}

/// What an answer with this status means.
pub(super) async fn refused(response: Response) -> Failed<Refusal> {
    let status = response.status();
    let (kind, sign) = match status.as_u16() {
        401 | 403 => (ModelFailureKind::Unauthorized, None),
        429 | 503 | 529 => (ModelFailureKind::Throttled, Some(Sign::Overload)),
        408 | 500.. => (ModelFailureKind::Broken, Some(Sign::Fault)),
        code => (ModelFailureKind::Refused(code), None),
    };
    let headers = response.headers();
    let is_hopeless = headers.get(SHOULD_RETRY).is_some_and(|value| value == "false");
    let wait = retry_after(headers);
    let again = sign.filter(|_| !is_hopeless).map(|sign| Again { wait, sign });
    // Characters have at most four bytes. A body that breaks off adds nothing to the status.
    let said = read(response, 4 * EXCERPT).await.unwrap_or_default();
    let said = excerpt(&String::from_utf8_lossy(&said), EXCERPT);
    Failed {
        error: Refusal {
            kind,
            what: format!("answered {status}"),
            said: (!said.is_empty()).then_some(said),
        },
        again,
    }
}
