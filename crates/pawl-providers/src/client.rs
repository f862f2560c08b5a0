//! What all that goes over HTTP has in common.

use std::error::Error;

use reqwest::Response;

/// What we call ourselves.
pub(crate) const fn user_agent() -> &'static str {
    concat!("pawl/", env!("CARGO_PKG_VERSION"))
}

/// Why there is no whole answer: the error that is behind the others.
pub(crate) fn reason(error: &reqwest::Error) -> String {
    let root = std::iter::successors(error.source(), |error| (*error).source()).last();
    root.map_or_else(|| "the connection broke".to_owned(), ToString::to_string)
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
