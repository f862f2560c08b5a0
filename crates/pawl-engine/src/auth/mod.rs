//! Who is asking: users and their log-ins, the keys of the instance, and the keys of programs.
//!
//! A user logs in by address and password and is given a session: an access token, which is a JWT of an hour, and a
//! refresh token, which buys the next pair once. Whoever holds a token is who it says; nothing else is asked for.

mod account;
mod api_key;
mod browser_session;
mod email;
mod error;
mod identity;
mod instance;
mod password;
mod random;
mod refresh_token;
mod session;
mod token;

pub use account::{AccountChange, NewAccount, shown_app_metadata};
pub use api_key::NewApiKey;
pub use browser_session::{BrowserSession, NewBrowserSession, Presented};
pub use email::EmailAddress;
pub use error::AuthError;
pub use identity::Identity;
pub use instance::{AuthSettings, InstanceKeys, SignUp};
pub use pawl_store::users::Page;
pub use secrecy::{ExposeSecret, SecretString};
pub use session::{IssuedSession, LogOut};
pub use token::Claims;

pub(crate) use instance::Auth;
