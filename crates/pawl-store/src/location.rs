//! Where the data is.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::{Result, StoreError};

/// Which database, and where.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database by URL; the password never shows in `Debug` or `Display`.
    Postgres(String),
}

impl Location {
    /// The file of the embedded database within the data folder.
    const FILE: &str = "pawl.db";

    /// The embedded database of a data folder.
    #[must_use]
    pub fn in_folder(data: &Path) -> Self {
        Self::Sqlite(data.join(Self::FILE))
    }

    /// Reads `postgres://…`, `postgresql://…` or `sqlite:PATH`.
    ///
    /// # Errors
    /// [`StoreError::Url`] for any other text.
    pub fn parse(url: &str) -> Result<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url.to_owned()));
        }
        match url.strip_prefix("sqlite:") {
            Some(path) if !path.trim_start_matches('/').is_empty() => Ok(Self::Sqlite(PathBuf::from(
                path.strip_prefix("//").unwrap_or(path),
            ))),
            _ => Err(StoreError::Url {
                given: without_password(url),
            }),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(f),
            Self::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

/// The URL with `***` in place of a password, in its user part or as a parameter.
fn without_password(url: &str) -> String {
    let (before_query, query) = url
        .split_once('?')
        .map_or((url, None), |(before, query)| (before, Some(query)));
    let mut shown = match before_query.split_once("://").and_then(|(scheme, rest)| {
        let (user, host) = rest.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        Some((scheme, name, host))
    }) {
        Some((scheme, name, host)) => [scheme, "://", name, ":***@", host].concat(),
        None => before_query.to_owned(),
    };
    let parameters = query.into_iter().flat_map(|query| query.split('&'));
    for (index, parameter) in parameters.enumerate() {
        shown.push(if index == 0 { '?' } else { '&' });
        let secret = parameter
            .split('=')
            .next()
            .is_some_and(|name| name.contains("password"));
        shown.push_str(if secret { "password=***" } else { parameter });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read_and_shown_without_their_password() {
        let postgres =
            Location::parse("postgres://app:s3cret@db:5432/pawl?sslmode=require&password=x").unwrap();
        assert_eq!(
            postgres.to_string(),
            "postgres://app:***@db:5432/pawl?sslmode=require&password=***"
        );
        assert_eq!(
            Location::parse("sqlite:/a/b.db").unwrap(),
            Location::Sqlite("/a/b.db".into())
        );
        assert_eq!(
            Location::parse("sqlite:///a/b.db").unwrap(),
            Location::Sqlite("/a/b.db".into())
        );
        assert_eq!(
            Location::parse("sqlite:b.db").unwrap(),
            Location::Sqlite("b.db".into())
        );
        for wrong in ["mysql://u:p@h/d", "sqlite:", "sqlite://", ""] {
            let error = Location::parse(wrong).unwrap_err().to_string();
            assert!(
                error.contains("use postgres://… or sqlite:PATH") && !error.contains(":p@"),
                "{error}"
            );
        }
    }
}
