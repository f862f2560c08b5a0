//! HTTP endpoints as targets.

use std::time::Duration;

use pawl_model::{TargetFailure, TargetFailureKind, TargetOutput, TargetRequest};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, Response, StatusCode, Url};

use crate::answer::{broken, no_answer_within, parse_json, too_long, utf8};
use crate::attempt::retry::retry_after;
use crate::attempt::{Again, Answered, Cause, Failed, GaveUp, Limiter, Sign, attempt};
use crate::client::{read, reason, user_agent};
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
        let answered = attempt(&self.limiter, self.timeout, || self.send(request)).await;
        match answered {
            Ok(Answered { answer, latency, .. }) => Ok(TargetReply {
                output: answer,
                latency,
            }),
            Err(GaveUp { cause, .. }) => Err(match cause {
                Cause::Refused(failure) => failure,
                Cause::Exhausted(mut failure, why) => {
                    failure.message.push_str(": ");
                    failure.message.push_str(&why.to_string());
                    failure
                }
                Cause::TimedOut => no_answer_within(self.timeout),
                Cause::Paused(pause) => TargetFailure::new(
                    TargetFailureKind::Throttled,
                    format!("`{}` asks to wait {} s more", self.shown, pause.as_secs()),
                ),
            }),
        }
    }

    /// Sends the request once.
    async fn send(&self, request: &TargetRequest) -> Result<TargetOutput, Failed<TargetFailure>> {
        let sent = self
            .client
            .post(self.url.clone())
            .header(ACCEPT, "application/json, text/plain")
            .json(request);
        let response = sent
            .send()
            .await
            .map_err(|error| Failed::for_good(self.unreachable(&error)))?;
        let status = response.status();
        if matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
        ) {
            let message = format!("`{}` answered {status}", self.shown);
            return Err(Failed {
                error: TargetFailure::new(TargetFailureKind::Throttled, message),
                again: Some(Again {
                    wait: retry_after(response.headers()),
                    sign: Sign::Overload,
                }),
            });
        }
        if !status.is_success() {
            return Err(Failed::for_good(self.refused(response).await));
        }
        self.output(response).await.map_err(Failed::for_good)
    }

    async fn output(&self, response: Response) -> Result<TargetOutput, TargetFailure> {
        let is_json = is_json(&response);
        let body = read(response, MAX_ANSWER_BYTES)
            .await
            .map_err(|error| self.unreachable(&error))?;
        if body.len() > MAX_ANSWER_BYTES {
            return Err(too_long());
        }
        let answer = utf8(body)?;
        if is_json {
            parse_json(&answer)
        } else {
            TargetOutput::parse(&answer)
        }
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
