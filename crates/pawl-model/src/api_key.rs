//! Keys of programs.

use time::OffsetDateTime;

use crate::{ApiKeyId, UserId};

/// What a key may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyScope {
    /// Handing in interactions and traces.
    Ingest,
    /// Reading what the tenant has.
    Read,
    /// Reading and changing it.
    Write,
}

impl KeyScope {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// The scope of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Ingest, Self::Read, Self::Write]
            .into_iter()
            .find(|scope| scope.as_str() == word)
    }

    /// Whether a key of this scope does where that one is asked for: who may write may read.
    #[must_use]
    pub fn allows(self, asked: Self) -> bool {
        self == asked || (self, asked) == (Self::Write, Self::Read)
    }
}

/// A key of a program; the key itself is shown once, when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// What it is revoked by.
    pub id: ApiKeyId,
    /// The tenant for whom it speaks.
    pub user_id: UserId,
    /// What it may be used for.
    pub scope: KeyScope,
    /// The end of the key, to tell keys apart.
    pub last_four: String,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

#[cfg(test)]
mod tests {
    use super::KeyScope::{self, Ingest, Read, Write};

    #[test]
    fn a_scope_allows_itself_and_writing_allows_reading() {
        let scopes = [Ingest, Read, Write];
        let allowed: Vec<_> = scopes
            .into_iter()
            .flat_map(|has| scopes.map(|asked| (has, asked)))
            .filter(|(has, asked)| has.allows(*asked))
            .collect();
        assert_eq!(
            allowed,
            [(Ingest, Ingest), (Read, Read), (Write, Read), (Write, Write)]
        );
        assert_eq!(
            scopes.map(|scope| KeyScope::parse(scope.as_str())),
            scopes.map(Some)
        );
        assert_eq!(KeyScope::parse("admin"), None);
    }
}
