//! A tenant.

use time::OffsetDateTime;

use crate::UserId;

/// A row of `auth.users`, as far as ownership needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The id that every row of the tenant names.
    pub id: UserId,
    /// The e-mail address, unique whatever its case.
    pub email: Option<String>,
    /// When the user was added; the earliest one is the first user.
    pub created_at: OffsetDateTime,
}
