//! The kinds of personal data.

use serde::{Deserialize, Serialize};

/// A kind of personal data or secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// An e-mail address.
    Email,
    /// A telephone number, international or national.
    Phone,
    /// An IPv4 or IPv6 address that can belong to somebody.
    Ip,
    /// The number of a payment card.
    Card,
    /// An international bank account number.
    Iban,
    /// A United States social security number.
    Ssn,
    /// A JSON Web Token.
    Jwt,
    /// A bearer token, or an API key of a vendor.
    ApiKey,
    /// An access key, secret key or session token of AWS.
    AwsKey,
    /// An API key, access token or client secret of Google Cloud.
    GcpKey,
    /// A private key in PEM form.
    PrivateKey,
    /// A password or another shared secret.
    Password,
    /// The name of a person.
    Name,
    /// What a pattern of the tenant without a name of its own matches.
    Custom,
}

impl Kind {
    /// How many kinds there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All kinds, in the order of their discriminants.
    pub const ALL: [Self; 14] = [
        Self::Email,
        Self::Phone,
        Self::Ip,
        Self::Card,
        Self::Iban,
        Self::Ssn,
        Self::Jwt,
        Self::ApiKey,
        Self::AwsKey,
        Self::GcpKey,
        Self::PrivateKey,
        Self::Password,
        Self::Name,
        Self::Custom,
    ];

    /// The name, as in `API_KEY`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        let placeholder = self.placeholder();
        placeholder.split_at(placeholder.len() - 1).0.split_at(1).1
    }

    /// What stands in the place of such data: the name in brackets.
    #[must_use]
    pub const fn placeholder(self) -> &'static str {
        match self {
            Self::Email => "[EMAIL]",
            Self::Phone => "[PHONE]",
            Self::Ip => "[IP]",
            Self::Card => "[CARD]",
            Self::Iban => "[IBAN]",
            Self::Ssn => "[SSN]",
            Self::Jwt => "[JWT]",
            Self::ApiKey => "[API_KEY]",
            Self::AwsKey => "[AWS_KEY]",
            Self::GcpKey => "[GCP_KEY]",
            Self::PrivateKey => "[PRIVATE_KEY]",
            Self::Password => "[PASSWORD]",
            Self::Name => "[NAME]",
            Self::Custom => "[CUSTOM]",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_placeholders_and_serialised_forms_agree() {
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            assert_eq!(format!("[{}]", kind.name()), kind.placeholder());
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        assert_eq!(Kind::from_name("email"), None);
    }
}
