//! Who a request comes from.

use pawl_model::UserId;
use pawl_store::Actor;

/// Who a request comes from, as its key or token proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The public key alone.
    Anonymous,
    /// A user who has logged in.
    User(UserId),
    /// The service key.
    Service,
}

impl Identity {
    /// Whose rows this identity is shown.
    #[must_use]
    pub const fn actor(self) -> Actor {
        match self {
            Self::Anonymous => Actor::Anonymous,
            Self::User(user) => Actor::Tenant(user),
            Self::Service => Actor::Service,
        }
    }
}
