//! The ids of a suite's cases: those that the file gives, and for the others one that comes from their content.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::case_spec::CaseSpec;
use super::digest::ContentDigest;
use super::error::SuiteError;
use super::source::CaseSpecs;

/// An id before repetitions are told apart.
pub(super) struct BaseId {
    pub(super) text: String,
    given: bool,
}

impl BaseId {
    /// The id that the file gives, else `c_` and 12 hexadecimal digits of the content's SHA-256.
    pub(super) fn of(spec: &CaseSpec) -> Self {
        if let Some(id) = &spec.id {
            return Self {
                text: id.clone(),
                given: true,
            };
        }
        let mut digest = ContentDigest::default();
        spec.digest_content(&mut digest);
        Self {
            text: format!("c_{}", hex::encode(&digest.finish()[..6])),
            given: false,
        }
    }

    pub(super) fn fingerprint(&self) -> u64 {
        fingerprint(&self.text)
    }
}

fn fingerprint(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// The fingerprints of ids that occur more than once.
pub(super) type Repeated = Arc<HashSet<u64>>;

/// Gives out the final ids, in the order of the cases: the second case of the same content gets `-2`, and so on.
pub(super) struct Ids {
    repeated: Repeated,
    counts: HashMap<u64, u32>,
}

impl Ids {
    pub(super) fn new(repeated: &Repeated) -> Self {
        Self {
            repeated: Arc::clone(repeated),
            counts: HashMap::new(),
        }
    }

    pub(super) fn settle(&mut self, base: BaseId) -> String {
        if base.given || self.repeated.is_empty() {
            return base.text;
        }
        let fingerprint = base.fingerprint();
        if !self.repeated.contains(&fingerprint) {
            return base.text;
        }
        let count = self.counts.entry(fingerprint).or_default();
        *count += 1;
        if *count == 1 {
            base.text
        } else {
            format!("{}-{count}", base.text)
        }
    }
}

/// Finds the ids that occur more than once, and refuses those of which the file gave one. It takes eight bytes per
/// case; only if there are repetitions, the cases are read again to tell them apart from colliding fingerprints.
pub(super) fn repeated(
    mut fingerprints: Vec<u64>,
    reread: impl Fn() -> CaseSpecs,
) -> Result<Repeated, SuiteError> {
    fingerprints.sort_unstable();
    let repeated: HashSet<u64> = fingerprints
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
        .collect();
    let repeated = Arc::new(repeated);
    if repeated.is_empty() {
        return Ok(repeated);
    }
    let mut seen: HashMap<u64, bool> = HashMap::new();
    let mut ids = Ids::new(&repeated);
    for spec in reread() {
        let spec = spec?;
        let base = BaseId::of(&spec);
        let fingerprint = base.fingerprint();
        if !repeated.contains(&fingerprint) {
            continue;
        }
        let any_given = seen
            .get(&fingerprint)
            .map(|earlier_given| *earlier_given || base.given);
        seen.insert(fingerprint, any_given.unwrap_or(base.given));
        if any_given == Some(true)
            && let Some(error) = duplicate(&spec, &base, reread())
        {
            return Err(error);
        }
        let text = base.text.clone();
        let settled = ids.settle(base);
        if settled != text && fingerprints.binary_search(&self::fingerprint(&settled)).is_ok() {
            let message = format!("the id `{settled}` that this case would get is given to another case");
            return Err(spec.spot.error(message).with_help("give this case an `id`"));
        }
    }
    Ok(repeated)
}

/// The error for an id that an earlier case has; none if only their fingerprints are the same.
fn duplicate(spec: &CaseSpec, base: &BaseId, cases: CaseSpecs) -> Option<SuiteError> {
    let place = spec.spot.place();
    let first = cases
        .map_while(Result::ok)
        .find(|other| BaseId::of(other).text == base.text)?;
    let first = first.spot.place();
    let message = format!("duplicate case id `{}`, first at {first}", base.text);
    (first != place).then(|| SuiteError::new(place, message))
}
