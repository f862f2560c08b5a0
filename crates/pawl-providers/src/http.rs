//! HTTP endpoints as targets.

mod limiter;
pub(crate) mod retry;

use std::error::Error;
use std::time::Duration;

use limiter::Limiter;
use pawl_model::{TargetFailure, TargetFailureKind, TargetOutput, TargetRequest};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, Response, StatusCode, Url};
use retry::{MAX_RETRIES, jitter, retry_after};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::answer::{broken, no_answer_within, parse_json, too_long, utf8};
use crate::excerpt::excerpt;
use crate::spec::TargetSpec;
use crate::target::{MAX_ANSWER_BYTES, TargetReply, TargetSettings};

const MAX_REDIRECTS: usize = 5;

/// How much of a refusal stands in its message, in characters.
const EXCERPT: usize = 200;

/// An endpoint that takes a request as JSON by POST and answers with text or JSON.
pub(crate) struct HttpTarget {
    client: Client,
    url: Url,
    shown: String,
    timeout: Duration,
    limiter: Limiter,
}

/// The endpoint wants the request later.
struct Throttled {
    status: StatusCode,
    wait: Option<Duration>,
}

impl HttpTarget {
    pub(crate) fn new(
        spec: &TargetSpec,
        url: &Url,
        settings: &TargetSettings,
    ) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .user_agent(user_agent())
            .redirect(Policy::custom(redirect))
            .build()?;
        Ok(Self {
            client,
            url: url.clone(),
            shown: spec.to_string(),
            timeout: settings.timeout,
            limiter: Limiter::new(settings.concurrency.get()),
        })
    }

    pub(crate) async fn call(&self, request: &TargetRequest) -> Result<TargetReply, TargetFailure> {
        let mut permit = self.limiter.enter().await;
        let deadline = Instant::now() + self.timeout;
        let mut retries = 0;
        loop {
            let sent = Instant::now();
            let answer = timeout_at(deadline, self.send(request))
                .await
                .map_err(|_| no_answer_within(self.timeout))??;
            let Throttled { status, wait } = match answer {
                Ok(output) => {
                    permit.succeeded();
                    return Ok(TargetReply {
                        output,
                        latency: sent.elapsed(),
                    });
                }
                Err(throttled) => throttled,
            };
            permit.throttled(wait);
            if retries == MAX_RETRIES {
                return Err(self.throttled(status, &format!("{MAX_RETRIES} retries are used up")));
            }
            let again = Instant::now() + wait.unwrap_or_default() + jitter(retries);
            if again >= deadline {
                let asked = wait.map_or_else(String::new, |wait| {
                    format!("asks to wait {} s, and ", wait.as_secs())
                });
                return Err(self.throttled(
                    status,
                    &format!("{asked}the time for the case is over before a retry"),
                ));
            }
            sleep_until(again).await;
            permit = timeout_at(deadline, self.limiter.enter())
                .await
                .map_err(|_| self.throttled(status, "the time for the case is over before a retry"))?;
            retries += 1;
        }
    }

    /// Sends the request once.
    async fn send(&self, request: &TargetRequest) -> Result<Result<TargetOutput, Throttled>, TargetFailure> {
        let sent = self
            .client
            .post(self.url.clone())
            .header(ACCEPT, "application/json, text/plain")
            .json(request);
        let response = sent.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        if matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
        ) {
            return Ok(Err(Throttled {
                status,
                wait: retry_after(response.headers()),
            }));
        }
        if !status.is_success() {
            return Err(self.refused(response).await);
        }
        let is_json = is_json(&response);
        let body = read(response, MAX_ANSWER_BYTES)
            .await
            .map_err(|error| self.unreachable(&error))?;
        if body.len() > MAX_ANSWER_BYTES {
            return Err(too_long());
        }
        let answer = utf8(body)?;
        let output = if is_json {
            parse_json(&answer)
        } else {
            TargetOutput::parse(&answer)
        };
        output.map(Ok)
    }

    /// Why an answer with this status is none.
    async fn refused(&self, response: Response) -> TargetFailure {
        let status = response.status();
        let said = if status.is_redirection() {
            let location = response
                .headers()
                .get(LOCATION)
                .map(|location| String::from_utf8_lossy(location.as_bytes()).into_owned());
            location.map(|location| format!("redirect to `{location}`, which is not followed"))
        } else {
            // Characters have at most four bytes. A body that breaks off adds nothing to the status.
            let body = read(response, 4 * EXCERPT).await.unwrap_or_default();
            Some(String::from_utf8_lossy(&body).into_owned())
        };
        let said = excerpt(&said.unwrap_or_default(), EXCERPT);
        let separator = if said.is_empty() { "" } else { ": " };
        broken(format!("`{}` answered {status}{separator}{said}", self.shown))
    }

    fn unreachable(&self, error: &reqwest::Error) -> TargetFailure {
        let reason = reason(error);
        let what = if error.is_connect() {
            "cannot reach"
        } else {
            "no whole answer from"
        };
        broken(format!("{what} `{}`: {reason}", self.shown))
    }

    fn throttled(&self, status: StatusCode, why: &str) -> TargetFailure {
        TargetFailure::new(
            TargetFailureKind::Throttled,
            format!("`{}` answered {status}: {why}", self.shown),
        )
    }
}

/// What we call ourselves.
pub(crate) const fn user_agent() -> &'static str {
    concat!("pawl/", env!("CARGO_PKG_VERSION"))
}

/// Why there is no whole answer: the error that is behind the others.
pub(crate) fn reason(error: &reqwest::Error) -> String {
    let root = std::iter::successors(error.source(), |error| (*error).source()).last();
    root.map_or_else(|| "the connection broke".to_owned(), ToString::to_string)
}

/// Follows redirects that repeat the POST at the same origin. Others would lose the body or hand the case to somebody
/// else.
fn redirect(attempt: Attempt) -> Action {
    let repeats = matches!(
        attempt.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    let stays = attempt
        .previous()
        .first()
        .is_some_and(|first| first.origin() == attempt.url().origin());
    if repeats && stays && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// `application/json`, or a type built on it, as `application/problem+json`.
fn is_json(response: &Response) -> bool {
    let media_type = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .map(|value| value.trim().to_ascii_lowercase());
    media_type.is_some_and(|media_type| media_type == "application/json" || media_type.ends_with("+json"))
}

/// The body; of one that is longer than `limit` no more than is needed to see that.
pub(crate) async fn read(mut response: Response, limit: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while body.len() <= limit
        && let Some(chunk) = response.chunk().await?
    {
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
