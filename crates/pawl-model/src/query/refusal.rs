//! Why a request is refused, in the words of PostgREST and PostgreSQL.

/// Why a request is refused: a code of PostgREST (`PGRST…`) or of PostgreSQL (an SQLSTATE), and what clients show.
/// The texts come from the request and from the description of the tables, never from a database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Refusal {
    /// The code.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// More about it.
    pub details: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Refusal {
    /// A refusal with this code and message.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: None,
            hint: None,
        }
    }

    /// The refusal with more about it.
    #[must_use]
    pub fn details(self, details: impl Into<String>) -> Self {
        Self {
            details: Some(details.into()),
            ..self
        }
    }

    /// The refusal with what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// A text holds NUL.
    #[must_use]
    pub fn nul() -> Self {
        Self::new("22P05", "unsupported Unicode escape sequence")
            .details("\\u0000 cannot be converted to text.")
    }

    /// A column that the table does not have.
    #[must_use]
    pub fn no_column(table: &str, column: &str) -> Self {
        Self::new(
            "42703",
            ["column ", table, ".", column, " does not exist"].concat(),
        )
    }

    /// An operator that does not go with the type.
    #[must_use]
    pub fn no_operator(kind: &str, operator: &str) -> Self {
        Self::new(
            "42883",
            ["operator does not exist: ", kind, " ", operator, " unknown"].concat(),
        )
        .hint("No operator matches the given name and argument types. You might need to add explicit type casts.")
    }

    /// A row that the caller may not write.
    #[must_use]
    pub fn foreign_row(table: &str) -> Self {
        let message = [
            "new row violates row-level security policy for table \"",
            table,
            "\"",
        ];
        Self::new("42501", message.concat())
    }

    /// Something of the dialect that there is not.
    #[must_use]
    pub fn not_supported(what: impl Into<String>) -> Self {
        Self::new("PGRST127", "Feature not implemented").details(what)
    }

    /// More of something than one request may have.
    #[must_use]
    pub fn too_much(what: impl Into<String>) -> Self {
        Self::new("54000", "The request exceeds a limit").details(what)
    }
}
