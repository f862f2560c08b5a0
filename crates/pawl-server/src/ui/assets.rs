//! Files that pages load: styles, scripts, what others wrote of both. They are in the binary, and their addresses hold a
//! hash of what is in them, so that browsers ask for each version once.

use std::sync::LazyLock;

use axum::body::Bytes;
use axum::extract::Query;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// A file that pages load.
struct Asset {
    name: &'static str,
    content_type: &'static str,
    body: &'static str,
}

static ASSETS: [Asset; 6] = [
    Asset {
        name: "app.css",
        content_type: CSS,
        // One file for browsers; in this order, since layers are named in the first.
        body: concat!(
            include_str!("../../assets/css/tokens.css"),
            include_str!("../../assets/css/base.css"),
            include_str!("../../assets/css/shell.css"),
            include_str!("../../assets/css/components.css"),
            include_str!("../../assets/css/dashboard.css"),
            include_str!("../../assets/css/interactions.css"),
            include_str!("../../assets/css/interaction.css"),
            include_str!("../../assets/css/runs.css"),
            include_str!("../../assets/css/comparison.css"),
            include_str!("../../assets/css/settings.css"),
            include_str!("../../assets/css/suggestions.css"),
            include_str!("../../assets/css/prompts.css"),
            include_str!("../../assets/css/manual.css"),
            include_str!("../../assets/css/lineage.css"),
        ),
    },
    Asset {
        name: "app.js",
        content_type: JAVASCRIPT,
        body: include_str!("../../assets/app.js"),
    },
    Asset {
        name: "dashboard.js",
        content_type: JAVASCRIPT,
        body: include_str!("../../assets/dashboard.js"),
    },
    Asset {
        name: "echarts.js",
        content_type: JAVASCRIPT,
        body: include_str!("../../assets/vendor/echarts.common.min.js"),
    },
    Asset {
        name: "htmx.js",
        content_type: JAVASCRIPT,
        body: include_str!("../../assets/vendor/htmx.min.js"),
    },
    Asset {
        name: "icon.svg",
        content_type: SVG,
        body: include_str!("../../assets/icon.svg"),
    },
];

/// A hash of each, in the order of [`ASSETS`].
static VERSIONS: LazyLock<[String; ASSETS.len()]> =
    LazyLock::new(|| std::array::from_fn(|index| hex::encode(&Sha256::digest(ASSETS[index].body)[..8])));

/// The address of a file that pages load.
pub(super) fn url(name: &str) -> String {
    let version = find(name).map_or("", |(_, version)| version);
    ["/assets/", name, "?v=", version].concat()
}

fn find(name: &str) -> Option<(&'static Asset, &'static str)> {
    let index = ASSETS.iter().position(|asset| asset.name == name)?;
    Some((&ASSETS[index], &VERSIONS[index]))
}

/// Which version of a file.
#[derive(Deserialize)]
pub(super) struct Version {
    v: Option<String>,
}

/// A file that pages load; its present version is good for ever.
pub(super) async fn serve(
    Path(name): Path<String>,
    Query(asked): Query<Version>,
) -> Result<Response, Problem> {
    let (asset, version) = find(&name).ok_or(Problem::new(ErrorCode::NotFound))?;
    let kept = if asked.v.as_deref() == Some(version) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static(kept)),
    ];
    Ok((headers, Bytes::from_static(asset.body.as_bytes())).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a first visit loads, before it is compressed; charts come on top, where a page has any.
    #[test]
    fn pages_load_little() {
        let without_charts = ASSETS.iter().filter(|asset| asset.name != "echarts.js");
        let bytes: usize = without_charts.map(|asset| asset.body.len()).sum();
        assert!(bytes < 150_000, "{bytes} bytes");
    }

    #[test]
    fn an_address_names_the_version() {
        let url = url("app.css");
        let version = url.strip_prefix("/assets/app.css?v=").unwrap();
        assert_eq!(version.len(), 16);
        assert!(version.bytes().all(|byte| byte.is_ascii_hexdigit()), "{version}");
    }
}
