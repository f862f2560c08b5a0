//! What an interaction said when it was received: enough to tell the same one from another under its name, without
//! keeping what masking took out.

use hmac::{Hmac, KeyInit as _, Mac as _};
use pawl_model::{Interaction, Json, NewInteraction, UserId};
use sha2::Sha256;

/// Hashes contents under a key of the instance, so that nobody can try out what was masked.
#[derive(Clone)]
pub(crate) struct ContentHasher(Hmac<Sha256>);

/// HMAC-SHA-256 of the fields as received, before masking, cut to 128 bits.
pub(crate) type ContentHash = [u8; 16];

impl ContentHasher {
    pub(crate) fn new(key: &[u8]) -> Self {
        // HMAC takes keys of any length.
        Self(Hmac::new_from_slice(key).unwrap_or_else(|_| Hmac::new(&[0; 64].into())))
    }

    /// Whom an interaction happened to: the same of a tenant's for the same name, and no name to whoever reads it.
    pub(crate) fn person(&self, tenant: UserId, name: &str) -> String {
        let mut hash = self.0.clone();
        hash.update(b"person");
        hash.update(tenant.0.as_bytes());
        hash.update(name.as_bytes());
        hex::encode(&hash.finalize().into_bytes()[..16])
    }

    /// The hash of everything but tenant and id. What was left out counts as left out, so that a time which was filled
    /// in here does not make a repetition another content.
    pub(crate) fn hash(&self, interaction: &NewInteraction) -> ContentHash {
        let mut hash = self.0.clone();
        let mut part = |bytes: Option<&[u8]>| match bytes {
            None => hash.update(&[0]),
            Some(bytes) => {
                hash.update(&[1]);
                hash.update(&(bytes.len() as u64).to_be_bytes());
                hash.update(bytes);
            }
        };
        part(Some(interaction.prompt.as_bytes()));
        part(Some(interaction.response.as_bytes()));
        part(interaction.score.as_ref().map(|score| score.as_str().as_bytes()));
        part(
            interaction
                .latency_ms
                .map(i32::to_be_bytes)
                .as_ref()
                .map(<[u8; 4]>::as_slice),
        );
        for flag in &interaction.flags {
            part(Some(flag.as_bytes()));
        }
        part(None);
        part(Some(&interaction.pii_tokens_redacted.to_be_bytes()));
        let created_at = interaction
            .created_at
            .map(|at| at.unix_timestamp_nanos().to_be_bytes());
        part(created_at.as_ref().map(<[u8; 16]>::as_slice));
        let weight = interaction.sample_weight.map(f64::to_be_bytes);
        part(weight.as_ref().map(<[u8; 8]>::as_slice));
        for json in [&interaction.tool_calls, &interaction.spans] {
            part(json.as_ref().map(|json| json.as_str().as_bytes()));
        }
        let full = hash.finalize().into_bytes();
        std::array::from_fn(|place| full[place])
    }
}

/// The fields in which two interactions differ that were received under the same id.
pub(crate) fn differing_fields(one: &NewInteraction, other: &NewInteraction) -> Vec<&'static str> {
    let fields = [
        ("prompt", one.prompt == other.prompt),
        ("response", one.response == other.response),
        ("score", one.score == other.score),
        ("latency_ms", one.latency_ms == other.latency_ms),
        ("flags", one.flags == other.flags),
        (
            "pii_tokens_redacted",
            one.pii_tokens_redacted == other.pii_tokens_redacted,
        ),
        ("created_at", one.created_at == other.created_at),
        ("sample_weight", one.sample_weight == other.sample_weight),
        ("tool_calls", one.tool_calls == other.tool_calls),
        ("spans", one.spans == other.spans),
    ];
    let differing = fields.into_iter().filter(|(_, same)| !same);
    differing.map(|(field, _)| field).collect()
}

/// An interaction as it would be stored, beside the one that is.
pub(crate) struct Beside<'a> {
    /// As it was received.
    pub(crate) received: &'a NewInteraction,
    /// As it would be stored.
    pub(crate) masked: &'a NewInteraction,
    /// As it is stored.
    pub(crate) stored: &'a Interaction,
    /// The spans that are stored.
    pub(crate) stored_spans: Option<&'a Json>,
}

impl Beside<'_> {
    /// The fields that differ. Where only the hash knows of a difference it lies in what was masked: then the texts
    /// that hold something masked.
    pub(crate) fn differing_fields(&self) -> Vec<&'static str> {
        let Self {
            received,
            masked,
            stored,
            stored_spans,
        } = self;
        let seen = [
            ("prompt", masked.prompt == stored.prompt),
            ("response", masked.response == stored.response),
            ("score", masked.score == stored.score),
            ("latency_ms", masked.latency_ms == stored.latency_ms),
            ("flags", masked.flags == stored.flags),
            (
                "pii_tokens_redacted",
                masked.pii_tokens_redacted == stored.pii_tokens_redacted,
            ),
            (
                "created_at",
                received.created_at.is_none_or(|at| at == stored.created_at),
            ),
            (
                "sample_weight",
                received
                    .sample_weight
                    .is_none_or(|weight| weight.total_cmp(&stored.sample_weight).is_eq()),
            ),
            ("tool_calls", masked.tool_calls == stored.trace),
            ("spans", masked.spans.as_ref() == *stored_spans),
        ];
        let differing: Vec<_> = seen
            .iter()
            .filter(|(_, same)| !same)
            .map(|(field, _)| *field)
            .collect();
        if !differing.is_empty() {
            return differing;
        }
        let masked_in = [
            ("prompt", masked.prompt != received.prompt),
            ("response", masked.response != received.response),
            ("flags", masked.flags != received.flags),
            ("tool_calls", masked.tool_calls != received.tool_calls),
            ("spans", masked.spans != received.spans),
        ];
        masked_in
            .iter()
            .filter(|(_, masked)| *masked)
            .map(|(field, _)| *field)
            .collect()
    }
}
