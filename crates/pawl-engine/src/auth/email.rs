//! E-mail addresses.

use super::AuthError;

/// The most characters of an address (RFC 3696, erratum 1690, allows fewer still).
const MOST: usize = 320;

/// An e-mail address in lower case. Whether it is anybody's is not known: no mail is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// [`AuthError::InvalidEmail`] unless it has one `@` with something on both sides, no blanks, and at most 320
    /// characters.
    pub fn parse(text: &str) -> Result<Self, AuthError> {
        let email = text.trim().to_lowercase();
        let parts: Vec<&str> = email.split('@').collect();
        let well_formed = matches!(parts[..], [local, domain] if !local.is_empty() && !domain.is_empty());
        let plain = !email.chars().any(|c| c.is_whitespace() || c.is_control());
        if well_formed && plain && email.chars().count() <= MOST {
            Ok(Self(email))
        } else {
            Err(AuthError::InvalidEmail)
        }
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_lower_case() {
        for (text, email) in [
            ("Ann@Example.ORG", "ann@example.org"),
            (" a@b ", "a@b"),
            ("Ä+x@b.c", "ä+x@b.c"),
        ] {
            assert_eq!(EmailAddress::parse(text).unwrap().as_str(), email);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        let long = ["a".repeat(MOST - 1).as_str(), "@b"].concat();
        for text in [
            "",
            "@",
            "a@",
            "@b",
            "a",
            "a@b@c",
            "a b@c",
            "a@b\n.c",
            "a\0@b",
            long.as_str(),
        ] {
            assert!(
                matches!(EmailAddress::parse(text), Err(AuthError::InvalidEmail)),
                "{text:?}"
            );
        }
    }
}
