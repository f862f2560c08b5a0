//! A server like ours that interactions are handed in to.

use std::time::Duration;

use pawl_model::{Json, NewInteraction, Policy, RunPolicy, UserId};
use reqwest::header::HeaderValue;
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use time::OffsetDateTime;
use tokio::time::sleep;

use crate::attempt::retry::{jitter, retry_after};
use crate::client::{read, reason, user_agent};
use crate::excerpt::excerpt;

const SECRET: &str = "x-ingestion-secret";

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How often a request is sent again when the server is busy.
const MAX_RETRIES: u32 = 8;

/// The longest wait that a busy server may ask for.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Bytes of an answer.
const MAX_ANSWER: usize = 1024 * 1024;

/// How much of a refusal stands in its message, in characters.
const EXCERPT: usize = 200;

/// Hands interactions in to a server, with the ingestion secret of its instance.
pub struct IngestClient {
    client: Client,
    url: Url,
    secret: HeaderValue,
}

/// A tenant's policy as the server gives it to agents, and what is left of today's cap.
#[derive(Clone, Debug)]
pub struct FetchedPolicy {
    /// The policy; what agents are not told of it is as for a tenant without one.
    pub policy: Policy,
    /// How many more interactions the server stores today.
    pub remaining_today: u64,
    /// When the tenant's next day begins.
    pub resets_at: OffsetDateTime,
}

/// The live version of a prompt.
#[derive(Clone, Debug, Deserialize)]
pub struct LivePrompt {
    /// Which one.
    pub version: i64,
    /// Its texts, by name.
    pub prompt: serde_json::Map<String, serde_json::Value>,
}

/// What came of an interaction that was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It is stored.
    Created,
    /// It was stored before.
    Duplicate,
    /// Another one is stored under its id.
    Conflict,
    /// The day's cap is reached.
    OverCap,
}

/// Why nothing came of a request.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The URL is none that we speak.
    #[error("`{url}` is not the URL of a server, such as http://127.0.0.1:8787")]
    Url {
        /// As it was given.
        url: String,
    },
    /// The secret cannot be sent.
    #[error("the ingestion secret holds a character that no header can hold")]
    Secret,
    /// No client can be made.
    #[error("cannot make an HTTP client")]
    Client(#[source] reqwest::Error),
    /// The server does not know the secret.
    #[error("{url} does not take this ingestion secret: `pawl keys` shows the right one")]
    Unauthenticated {
        /// The server.
        url: Url,
    },
    /// The server has no such tenant.
    #[error("{url} has no user {user}: `pawl user list` shows them")]
    UnknownTenant {
        /// The server.
        url: Url,
        /// The tenant.
        user: UserId,
    },
    /// It cannot be reached, or breaks off.
    #[error("no answer from {url}: {reason}")]
    Unreachable {
        /// The server.
        url: Url,
        /// What is the matter.
        reason: String,
    },
    /// It stays busy.
    #[error("{url} is busy, after {MAX_RETRIES} retries as well ({status})")]
    Busy {
        /// The server.
        url: Url,
        /// What it answered last.
        status: StatusCode,
    },
    /// It answers otherwise than it should.
    #[error("{url} answered {status}: {said}")]
    Refused {
        /// The server.
        url: Url,
        /// The status.
        status: StatusCode,
        /// The beginning of the answer.
        said: String,
    },
}

impl IngestError {
    /// Whether another command line would help, rather than another time.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Url { .. } | Self::Secret | Self::Unauthenticated { .. } | Self::UnknownTenant { .. }
        )
    }
}

impl IngestClient {
    /// A client of the server at this URL.
    ///
    /// # Errors
    /// When it is no URL of `http` or `https`, or the secret cannot stand in a header.
    pub fn new(url: &str, secret: &str) -> Result<Self, IngestError> {
        let parsed = Url::parse(url).ok();
        let url = parsed
            .filter(|url| matches!(url.scheme(), "http" | "https") && !url.cannot_be_a_base())
            .ok_or_else(|| IngestError::Url { url: url.to_owned() })?;
        let mut secret = HeaderValue::from_str(secret).map_err(|_| IngestError::Secret)?;
        secret.set_sensitive(true);
        let client = Client::builder()
            .user_agent(user_agent())
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT)
            .build()
            .map_err(IngestError::Client)?;
        Ok(Self { client, url, secret })
    }

    /// The policy of a tenant.
    ///
    /// # Errors
    /// [`IngestError::UnknownTenant`] when there is none, and whatever else keeps the server from answering.
    pub async fn policy(&self, user: UserId) -> Result<FetchedPolicy, IngestError> {
        let mut url = self.endpoint("policy");
        url.query_pairs_mut().append_pair("user_id", &user.to_string());
        let answer = self.exchange(&|| self.client.get(url.clone())).await?;
        if answer.status == StatusCode::NOT_FOUND && answer.code() == Some("not_found") {
            let url = self.url.clone();
            return Err(IngestError::UnknownTenant { url, user });
        }
        let document: Option<PolicyDocument<'_>> = match answer.status {
            StatusCode::OK => serde_json::from_slice(&answer.body).ok(),
            _ => None,
        };
        document
            .and_then(|document| document.into_policy(user))
            .ok_or_else(|| self.refused(&answer))
    }

    /// Hands an interaction in.
    ///
    /// # Errors
    /// When the server refuses it for another reason than a [`Receipt`] has, or does not answer.
    pub async fn send(&self, interaction: &NewInteraction) -> Result<Receipt, IngestError> {
        let document = Document::of(interaction);
        let url = self.endpoint("ingest");
        let answer = self
            .exchange(&|| self.client.post(url.clone()).json(&document))
            .await?;
        match (answer.status, answer.code()) {
            (StatusCode::CREATED, _) => Ok(Receipt::Created),
            (StatusCode::OK, _) => Ok(Receipt::Duplicate),
            (StatusCode::CONFLICT, _) => Ok(Receipt::Conflict),
            (StatusCode::TOO_MANY_REQUESTS, Some(OVER_CAP)) => Ok(Receipt::OverCap),
            _ => Err(self.refused(&answer)),
        }
    }

    /// The live version of a prompt, read with an API key.
    ///
    /// # Errors
    /// When there is none, the key may not read it, or the server does not answer.
    pub async fn live_prompt(&self, key: &str, name: &str) -> Result<LivePrompt, IngestError> {
        let url = self.path(&["api", "prompts", name, "live"]);
        let answer = self
            .exchange(&|| self.client.get(url.clone()).bearer_auth(key))
            .await?;
        match answer.status {
            StatusCode::OK => serde_json::from_slice(&answer.body).map_err(|_| self.refused(&answer)),
            _ => Err(self.refused(&answer)),
        }
    }

    fn endpoint(&self, name: &str) -> Url {
        self.path(&["api", "evals", name])
    }

    fn path(&self, segments: &[&str]) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// Sends a request until the server is not too busy for it.
    async fn exchange(&self, request: &(dyn Fn() -> RequestBuilder + Sync)) -> Result<Answer, IngestError> {
        let mut retries = 0;
        loop {
            let sent = request().header(SECRET, self.secret.clone()).send().await;
            let response = sent.map_err(|error| self.unreachable(&error))?;
            let wait = retry_after(response.headers());
            let answer = self.answer(response).await?;
            let is_busy = match answer.status {
                // What was stored before the time was over is a duplicate then.
                StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => true,
                StatusCode::TOO_MANY_REQUESTS => answer.code() != Some(OVER_CAP),
                StatusCode::UNAUTHORIZED => {
                    let url = self.url.clone();
                    return Err(IngestError::Unauthenticated { url });
                }
                _ => false,
            };
            if !is_busy {
                return Ok(answer);
            }
            if retries == MAX_RETRIES {
                let (url, status) = (self.url.clone(), answer.status);
                return Err(IngestError::Busy { url, status });
            }
            sleep(wait.unwrap_or_default().min(MAX_WAIT) + jitter(retries)).await;
            retries += 1;
        }
    }

    async fn answer(&self, response: Response) -> Result<Answer, IngestError> {
        let status = response.status();
        let body = read(response, MAX_ANSWER).await;
        let body = body.map_err(|error| self.unreachable(&error))?;
        let problem = serde_json::from_slice(&body).unwrap_or_default();
        Ok(Answer {
            status,
            body,
            problem,
        })
    }

    fn unreachable(&self, error: &reqwest::Error) -> IngestError {
        IngestError::Unreachable {
            url: self.url.clone(),
            reason: reason(error),
        }
    }

    fn refused(&self, answer: &Answer) -> IngestError {
        IngestError::Refused {
            url: self.url.clone(),
            status: answer.status,
            said: excerpt(&String::from_utf8_lossy(&answer.body), EXCERPT),
        }
    }
}

/// The code of the problem that a reached cap is.
const OVER_CAP: &str = "over_cap";

struct Answer {
    status: StatusCode,
    body: Vec<u8>,
    problem: ProblemDocument,
}

impl Answer {
    fn code(&self) -> Option<&str> {
        self.problem.code.as_deref()
    }
}

/// What is read of a problem (RFC 9457).
#[derive(Default, Deserialize)]
#[serde(default)]
struct ProblemDocument {
    code: Option<String>,
}

/// A policy as it is sent.
#[derive(Deserialize)]
struct PolicyDocument<'a> {
    #[serde(borrow)]
    run_policy: std::borrow::Cow<'a, str>,
    sample_rate_pct: u8,
    obfuscate_pii: bool,
    max_eval_per_day: u32,
    timezone: String,
    keep_failures: bool,
    failure_flags: Vec<String>,
    failure_score: f64,
    sample_salt: String,
    version: i32,
    remaining_today: u64,
    #[serde(with = "time::serde::rfc3339")]
    resets_at: OffsetDateTime,
}

impl PolicyDocument<'_> {
    fn into_policy(self, user: UserId) -> Option<FetchedPolicy> {
        Some(FetchedPolicy {
            policy: Policy {
                run_policy: RunPolicy::parse(&self.run_policy)?,
                sample_rate_pct: self.sample_rate_pct,
                obfuscate_pii: self.obfuscate_pii,
                max_eval_per_day: self.max_eval_per_day,
                timezone: self.timezone,
                keep_failures: self.keep_failures,
                failure_flags: self.failure_flags,
                failure_score: self.failure_score,
                sample_salt: self.sample_salt,
                version: self.version,
                ..Policy::default_of(user)
            },
            remaining_today: self.remaining_today,
            resets_at: self.resets_at,
        })
    }
}

/// An interaction as it is sent: what is not known is left out.
#[derive(Serialize)]
struct Document<'a> {
    user_id: UserId,
    interaction_id: &'a str,
    prompt: &'a str,
    response: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<i32>,
    flags: &'a [String],
    pii_tokens_redacted: i32,
    #[serde(
        skip_serializing_if = "Option::is_none",
        with = "time::serde::rfc3339::option"
    )]
    created_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample_weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spans: Option<&'a Json>,
}

impl<'a> Document<'a> {
    fn of(interaction: &'a NewInteraction) -> Self {
        let score = interaction.score.as_ref();
        Self {
            user_id: interaction.user_id,
            interaction_id: &interaction.interaction_id,
            prompt: &interaction.prompt,
            response: &interaction.response,
            // A score is a number as JSON writes it, digit by digit.
            score: score.and_then(|score| RawValue::from_string(score.as_str().to_owned()).ok()),
            latency_ms: interaction.latency_ms,
            flags: &interaction.flags,
            pii_tokens_redacted: interaction.pii_tokens_redacted,
            created_at: interaction.created_at,
            sample_weight: interaction.sample_weight,
            tool_calls: interaction.tool_calls.as_ref(),
            spans: interaction.spans.as_ref(),
        }
    }
}
