//! What stands around the content of a page: title, navigation, who is logged in, the theme.

use std::convert::Infallible;

use axum::Form;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect};
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use serde::Deserialize;

use super::assets;
use super::session::Visitor;

/// The cookie that holds the theme; scripts may write it.
const COOKIE: &str = "pawl_theme";

/// What stands around the content of a page.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    /// Where in the navigation the page is.
    pub(crate) section: Section,
    /// What the page is called.
    pub(crate) title: String,
    /// How it looks.
    pub(crate) theme: Theme,
    /// Who is logged in.
    pub(crate) email: String,
    /// Path and query of the page.
    pub(crate) here: String,
}

impl Shell {
    /// The address of a file that pages load.
    pub(crate) fn asset(&self, name: &str) -> String {
        assets::url(name)
    }

    /// The navigation.
    pub(crate) fn sections(&self) -> impl Iterator<Item = &'static Section> {
        Section::ALL.iter()
    }

    /// The themes that there are to choose from.
    pub(crate) fn themes(&self) -> impl Iterator<Item = &'static Theme> {
        Theme::ALL.iter()
    }
}

/// A part of the product, as the navigation shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// What it comes to.
    Dashboard,
    /// What agents did.
    Interactions,
    /// What was mined, and the tests of it.
    Suggestions,
    /// What suites found.
    Runs,
    /// What is live, and what is evolved.
    Prompts,
    /// How it should be.
    Settings,
}

impl Section {
    const ALL: [Self; 6] = [
        Self::Dashboard,
        Self::Interactions,
        Self::Suggestions,
        Self::Runs,
        Self::Prompts,
        Self::Settings,
    ];

    /// What it is called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Dashboard => "Dashboard",
            Self::Interactions => "Interactions",
            Self::Suggestions => "Suggestions",
            Self::Runs => "Runs",
            Self::Prompts => "Prompts",
            Self::Settings => "Settings",
        }
    }

    /// Where it is.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Dashboard => "/dashboard",
            Self::Interactions => "/interactions",
            Self::Suggestions => "/suggestions",
            Self::Runs => "/runs",
            Self::Prompts => "/prompts",
            Self::Settings => "/settings",
        }
    }

    /// The key that leads there, after `g`.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Dashboard => "d",
            Self::Interactions => "i",
            Self::Suggestions => "s",
            Self::Runs => "r",
            Self::Prompts => "p",
            Self::Settings => ",",
        }
    }
}

/// How pages look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system does.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word for it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme that a browser's cookie names.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let cookies = CookieJar::from_headers(headers);
        let chosen = cookies.get(COOKIE).map(Cookie::value);
        let chosen = Self::ALL.into_iter().find(|theme| Some(theme.as_str()) == chosen);
        chosen.unwrap_or_default()
    }
}

impl<S: Sync> FromRequestParts<S> for Theme {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

/// Which theme, and the page to go back to.
#[derive(Deserialize)]
pub(super) struct ThemeForm {
    #[serde(default)]
    theme: String,
    #[serde(default)]
    next: String,
}

/// Takes another theme.
pub(super) async fn choose_theme(_: Visitor, Form(form): Form<ThemeForm>) -> impl IntoResponse {
    let theme = Theme::ALL.into_iter().find(|theme| theme.as_str() == form.theme);
    let cookie = Cookie::build((COOKIE, theme.unwrap_or_default().as_str()))
        .path("/")
        .same_site(SameSite::Lax)
        .max_age(time::Duration::days(365));
    (
        CookieJar::new().add(cookie),
        Redirect::to(local_path(&form.next).unwrap_or("/")),
    )
}

/// A path of ours to go to; none for whatever leads, or might lead, to another site.
pub(super) fn local_path(path: &str) -> Option<&str> {
    let leads_away = path.starts_with("//") || path.contains('\\') || path.contains(char::is_control);
    (path.starts_with('/') && !leads_away).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_ours_are_gone_to() {
        for path in ["/dashboard", "/interactions?q=a%2Fb&sort=slowest", "/"] {
            assert_eq!(local_path(path), Some(path));
        }
        for path in [
            "",
            "dashboard",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/\t/evil.example",
            "javascript:alert(1)",
        ] {
            assert_eq!(local_path(path), None, "{path}");
        }
    }
}
