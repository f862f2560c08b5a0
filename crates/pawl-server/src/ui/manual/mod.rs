//! The manual: the documents of the repository, in the binary. Browsers get pages, programs the Markdown as it is.

mod contents;
mod files;
mod links;
mod markdown;

use std::collections::HashMap;
use std::sync::LazyLock;

use askama::Template;
use axum::Router;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use self::contents::Group;
use self::markdown::Section;
use super::assets;
use super::page::Page;
use super::shell::Theme;
use crate::AppState;
use crate::dialect::wants_page;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};

/// A vector image has its styles within.
const IMAGE_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");

/// Everything that is in it, by address.
static MANUAL: LazyLock<Manual> = LazyLock::new(Manual::read);

struct Manual {
    documents: HashMap<String, Document>,
    groups: Vec<Group>,
}

struct Document {
    source: &'static str,
    title: String,
    html: String,
    sections: Vec<Section>,
}

impl Manual {
    fn read() -> Self {
        let mut documents = HashMap::new();
        let mut groups = Vec::new();
        for (path, source) in files::all() {
            let Some(address) = files::address(&path) else {
                continue;
            };
            if path == "docs/README.md" {
                groups = contents::groups(source);
            }
            let markdown::Document {
                title,
                html,
                sections,
            } = markdown::document(&path, source);
            let document = Document {
                source,
                title,
                html,
                sections,
            };
            documents.insert(address, document);
        }
        Self { documents, groups }
    }
}

/// `/docs` and what is below it, apart from the reference of the API.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/docs", get(index))
        .route("/docs/", get(index))
        .route("/docs/{*path}", get(document))
        .route("/docs/images/{name}", get(image))
}

async fn index(theme: Theme, headers: HeaderMap) -> Result<Response, Problem> {
    answer("/docs", theme, &headers)
}

async fn document(Path(path): Path<String>, theme: Theme, headers: HeaderMap) -> Result<Response, Problem> {
    answer(&["/docs/", &path].concat(), theme, &headers)
}

fn answer(address: &str, theme: Theme, headers: &HeaderMap) -> Result<Response, Problem> {
    let (address, document) = MANUAL
        .documents
        .get_key_value(address)
        .ok_or(Problem::new(ErrorCode::NotFound))?;
    let mut response = if wants_page(headers) {
        Page(ManualPage {
            document,
            address,
            groups: &MANUAL.groups,
            theme,
        })
        .into_response()
    } else {
        let markdown = HeaderValue::from_static("text/markdown; charset=utf-8");
        ([(header::CONTENT_TYPE, markdown)], document.source).into_response()
    };
    response
        .headers_mut()
        .append(header::VARY, HeaderValue::from_static("accept"));
    Ok(response)
}

async fn image(Path(name): Path<String>) -> Result<impl IntoResponse, Problem> {
    let image = files::IMAGES.iter().find(|image| image.name == name);
    let image = image.ok_or(Problem::new(ErrorCode::NotFound))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(image.content_type)),
        (header::CONTENT_SECURITY_POLICY, IMAGE_POLICY),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=3600"),
        ),
    ];
    Ok((headers, image.body))
}

#[derive(Template)]
#[template(path = "manual.html")]
struct ManualPage<'a> {
    document: &'a Document,
    address: &'a str,
    groups: &'a [Group],
    theme: Theme,
}

impl ManualPage<'_> {
    fn asset(&self, name: &str) -> String {
        assets::url(name)
    }
}

#[cfg(test)]
mod tests;
