//! What is evolved.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::draw::fingerprint;
use crate::error::TaskError;

/// One named text of a system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    /// Which text it is; the same in every candidate of a run.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A version of every text of a system, in the order in which they were given. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate(Arc<[Component]>);

impl Candidate {
    /// A system of several texts: (name, text) pairs.
    ///
    /// # Errors
    /// [`TaskError::NoComponents`] without any, [`TaskError::ComponentTwice`] where two have one name.
    pub fn new<N, T>(components: impl IntoIterator<Item = (N, T)>) -> Result<Self, TaskError>
    where
        N: Into<String>,
        T: Into<String>,
    {
        let components: Vec<Component> = components
            .into_iter()
            .map(|(name, text)| Component {
                name: name.into(),
                text: text.into(),
            })
            .collect();
        if components.is_empty() {
            return Err(TaskError::NoComponents);
        }
        for (place, component) in components.iter().enumerate() {
            if components[..place]
                .iter()
                .any(|other| other.name == component.name)
            {
                return Err(TaskError::ComponentTwice(component.name.clone()));
            }
        }
        Ok(Self(components.into()))
    }

    /// A system of one text, named `prompt`.
    #[must_use]
    pub fn single(text: impl Into<String>) -> Self {
        let component = Component {
            name: "prompt".to_owned(),
            text: text.into(),
        };
        Self([component].into())
    }

    /// All components, in their order.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.0
    }

    /// The text of a component, if there is one of that name.
    #[must_use]
    pub fn text(&self, component: &str) -> Option<&str> {
        let found = self.0.iter().find(|known| known.name == component)?;
        Some(&found.text)
    }

    /// This candidate with another text at one place.
    pub(crate) fn with(&self, place: usize, text: String) -> Self {
        let mut components = self.0.to_vec();
        if let Some(component) = components.get_mut(place) {
            component.text = text;
        }
        Self(components.into())
    }

    /// What tells it from others: equal for equal names and texts, whoever made them.
    #[must_use]
    pub fn digest(&self) -> CandidateDigest {
        let texts = self.0.iter().flat_map(|c| [c.name.as_str(), c.text.as_str()]);
        CandidateDigest(fingerprint(texts).into())
    }
}

/// A candidate by its content: 32 hexadecimal digits of a SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CandidateDigest(Arc<str>);

impl CandidateDigest {
    /// Its digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CandidateDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_has_components_of_different_names() {
        assert!(matches!(
            Candidate::new(Vec::<(String, String)>::new()),
            Err(TaskError::NoComponents)
        ));
        assert!(matches!(
            Candidate::new([("a", "1"), ("a", "2")]),
            Err(TaskError::ComponentTwice(name)) if name == "a"
        ));
    }

    #[test]
    fn content_tells_candidates_apart() {
        let one = Candidate::new([("a", "1"), ("b", "2")]).unwrap();
        let edited = one.with(1, "3".to_owned());
        assert_eq!(edited.text("b"), Some("3"));
        assert_ne!(one.digest(), edited.digest());
        assert_eq!(one.digest(), edited.with(1, "2".to_owned()).digest());
    }
}
