//! Texts that nobody can guess.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::SecretString;

use super::AuthError;

/// 32 random bytes, as 43 characters that go anywhere.
pub(super) fn text() -> Result<SecretString, AuthError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(AuthError::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}
