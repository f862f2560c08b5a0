//! What masking makes of a text that somebody pastes; nothing of it is kept.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use pawl_checks::mask::{Masker, TenantPattern};
use pawl_model::PiiPattern;
use serde::Deserialize;

use super::form::{patterns, sentence};
use super::server_url::ServerUrl;
use super::{SettingsPage, field_error, page, today};
use crate::AppState;
use crate::problem::Problem;
use crate::ui::marked::{Mark, Piece};
use crate::ui::page::{Page, refused};
use crate::ui::session::Visitor;

/// What masking made of a text.
#[derive(Default)]
pub(super) struct Preview {
    /// As it was pasted.
    pub(super) text: String,
    /// With what was masked.
    pub(super) pieces: Vec<Piece>,
    /// How many of each kind.
    pub(super) kinds: Vec<(String, u32)>,
}

/// A text to mask.
#[derive(Deserialize)]
pub(in crate::ui) struct PreviewForm {
    #[serde(default)]
    text: String,
    /// Patterns that are not saved yet; without them those of the policy.
    pii_patterns: Option<String>,
}

/// Shows what masking makes of a text.
pub(in crate::ui) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    url: ServerUrl,
    Form(form): Form<PreviewForm>,
) -> Result<Response, Problem> {
    let patterns = match &form.pii_patterns {
        Some(text) => patterns(text),
        None => today(&state, &visitor).await?.policy.pii_patterns,
    };
    let page = page(&state, &visitor, url).await?;
    match masker(patterns) {
        Ok(masker) => {
            let preview = Preview::new(&masker, form.text);
            Ok(Page(SettingsPage { preview, ..page }).into_response())
        }
        Err(message) => {
            let preview = Preview {
                text: form.text,
                ..Preview::default()
            };
            let problems = vec![field_error("preview", sentence(&message))];
            let page = SettingsPage {
                preview,
                problems,
                ..page
            };
            Ok(refused(StatusCode::UNPROCESSABLE_ENTITY, page))
        }
    }
}

fn masker(patterns: Vec<PiiPattern>) -> Result<Masker, String> {
    let patterns: Vec<TenantPattern> = patterns
        .into_iter()
        .map(|PiiPattern { name, pattern }| TenantPattern { name, pattern })
        .collect();
    Masker::new(&patterns).map_err(|error| error.to_string())
}

impl Preview {
    fn new(masker: &Masker, text: String) -> Self {
        let mut pieces = Vec::new();
        let mut add = |text: String, mark| {
            if !text.is_empty() {
                pieces.push(Piece { text, mark });
            }
        };
        let mut end = 0;
        for found in masker.find(&text) {
            add(text[end..found.range.start].to_owned(), None);
            add(["[", found.name, "]"].concat(), Some(Mark::Masked));
            end = found.range.end;
        }
        add(text[end..].to_owned(), None);
        let kinds = masker.mask(&text).counts;
        let kinds = kinds.iter().map(|(name, count)| (name.to_owned(), count));
        Self {
            kinds: kinds.collect(),
            pieces,
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_what_masking_does() {
        let masker = masker(patterns("ORDER = PX-\\d+")).unwrap();
        let text = "ann@example.org asked about PX-12 and PX-13";
        let preview = Preview::new(&masker, text.to_owned());
        let shown: String = preview.pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(shown, masker.mask(text).text);
        assert_eq!(shown, "[EMAIL] asked about [ORDER] and [ORDER]");
        assert!(preview.kinds.contains(&("ORDER".to_owned(), 2)));
    }
}
