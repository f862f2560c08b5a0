//! A user as the auth API shows them.

use time::OffsetDateTime;

use crate::{Json, UserId};

/// A row of `auth.users`: everything but what proves who somebody is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The tenant.
    pub id: UserId,
    /// The e-mail address, lower case.
    pub email: Option<String>,
    /// When the user was added.
    pub created_at: OffsetDateTime,
    /// When anything of it changed last.
    pub updated_at: OffsetDateTime,
    /// When the user logged in last.
    pub last_sign_in_at: Option<OffsetDateTime>,
    /// An object that administrators write.
    pub app_metadata: Json,
    /// An object that the user writes.
    pub user_metadata: Json,
    /// Whether this is the first user, to whom rows go that name nobody.
    pub is_owner: bool,
}
