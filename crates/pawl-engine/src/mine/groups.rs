//! Putting patterns together that are one and the same failure.

use std::collections::HashMap;

use pawl_checks::similarity::{SAME, cosine, scale};
use pawl_model::{FailurePattern, Json, SuggestedPattern, SuggestionStatus, SuggestionType, UserId};
use pawl_store::suggestions::Group;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A tenant's suggestions, with their vectors.
#[derive(Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    vectors: Vec<Vec<f32>>,
    /// Those that were changed since they were read or taken.
    changed: Vec<bool>,
    /// Where patterns are already, by their ids: the suggestion, and how alike they were to what was there.
    members: HashMap<String, (String, Option<f64>)>,
}

/// Where a pattern went.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    /// The suggestion.
    pub suggestion_id: String,
    /// How alike it is to what was there; none for the first.
    pub similarity: Option<f64>,
}

/// What is to be put into a group.
pub(super) struct Placing<'a> {
    pub user: UserId,
    pub pattern: &'a FailurePattern,
    /// Of length 1.
    pub vector: &'a [f32],
    /// What made the vector: others cannot be compared with it.
    pub embedded_by: &'a str,
    pub run_id: &'a str,
    pub now: OffsetDateTime,
}

impl Groups {
    /// Those that are stored.
    pub(super) fn read(stored: Vec<Group>) -> Self {
        let vectors = stored
            .iter()
            .map(|group| serde_json::from_str(group.embedding.as_str()).unwrap_or_default())
            .collect();
        let changed = vec![false; stored.len()];
        Self {
            groups: stored,
            vectors,
            changed,
            members: HashMap::new(),
        }
    }

    /// With patterns that are in them already, and stay there.
    #[cfg(feature = "firestore")]
    pub(super) fn with_members(mut self, members: HashMap<String, (String, Option<f64>)>) -> Self {
        self.members = members;
        self
    }

    /// Puts a pattern to the suggestion that it is most alike, or makes one. What is rejected is joined by nothing; what
    /// would have joined it is a recurrence of it.
    pub(super) fn place(&mut self, placing: &Placing<'_>) -> Placed {
        if let Some((suggestion_id, similarity)) = self.members.get(&placing.pattern.pattern_id) {
            return Placed {
                suggestion_id: suggestion_id.clone(),
                similarity: *similarity,
            };
        }
        let alike = |group: &Group| {
            group.embedded_by == placing.embedded_by
                && SuggestionType::for_failure(group.pattern.failure_type)
                    == SuggestionType::for_failure(placing.pattern.failure_type)
        };
        let (mut open, mut rejected) = ((SAME, None), (SAME, None));
        for (place, (group, vector)) in self.groups.iter().zip(&self.vectors).enumerate() {
            if !alike(group) {
                continue;
            }
            // To six places, which is what two ways to add up agree on.
            let similarity = (cosine(vector, placing.vector) * 1e6).round() / 1e6;
            let best = match group.status {
                SuggestionStatus::Rejected => &mut rejected,
                SuggestionStatus::Pending | SuggestionStatus::Approved => &mut open,
            };
            // The oldest of several that are as good.
            if similarity > best.0 || similarity >= SAME && best.1.is_none() {
                *best = (similarity, Some(place));
            }
        }
        match open {
            (similarity, Some(place)) => self.join(place, similarity, placing),
            (_, None) => self.found(rejected.1, placing),
        }
    }

    fn join(&mut self, place: usize, similarity: f64, placing: &Placing<'_>) -> Placed {
        let (group, vector) = (&mut self.groups[place], &mut self.vectors[place]);
        // The mean of all, as far as the number of the patterns that are left tells their weight.
        #[expect(clippy::cast_precision_loss, reason = "a weight")]
        let weight = group.patterns.max(1) as f32;
        for (mean, new) in vector.iter_mut().zip(placing.vector) {
            *mean = mean.mul_add(weight, *new);
        }
        scale(vector, 1.0);
        group.patterns += 1;
        group.severity = group.severity.max(placing.pattern.severity);
        group.updated_at = placing.now;
        self.changed[place] = true;
        Placed {
            suggestion_id: group.suggestion_id.clone(),
            similarity: Some(similarity),
        }
    }

    fn found(&mut self, recurrence_of: Option<usize>, placing: &Placing<'_>) -> Placed {
        let (suggestion_id, group_id) = self.fresh_ids(placing);
        let rejected = recurrence_of.map(|place| &self.groups[place]);
        let pattern = placing.pattern;
        let made = json!([{
            "previous_status": null,
            "new_status": SuggestionStatus::Pending,
            "actor": "mining",
            "timestamp": placing.now.format(&Rfc3339).unwrap_or_default(),
            "notes": placing.run_id,
        }]);
        let group = Group {
            suggestion_id: suggestion_id.clone(),
            status: SuggestionStatus::Pending,
            severity: pattern.severity,
            pattern: SuggestedPattern {
                failure_type: pattern.failure_type,
                trigger_condition: pattern.trigger_condition.clone(),
                title: pattern.title.clone(),
                summary: pattern.summary.clone(),
            },
            similarity_group: rejected.map_or(group_id, |group| group.similarity_group.clone()),
            recurrence_of: rejected.map(|group| group.suggestion_id.clone()),
            embedded_by: placing.embedded_by.to_owned(),
            embedding: Json::empty_array(),
            version_history: Json::from_serialize(&made).unwrap_or_else(|_| Json::empty_array()),
            created_at: placing.now,
            updated_at: placing.now,
            patterns: 1,
        };
        self.groups.push(group);
        self.vectors.push(placing.vector.to_vec());
        self.changed.push(true);
        Placed {
            suggestion_id,
            similarity: None,
        }
    }

    /// Ids that are functions of the first pattern: mined again from the start, a suggestion is the same.
    fn fresh_ids(&self, placing: &Placing<'_>) -> (String, String) {
        let mut again = 0_u32;
        loop {
            let name = format!(
                "suggestion {} {again} {}",
                placing.user, placing.pattern.pattern_id
            );
            let digits = hex::encode(Sha256::digest(name));
            let id = format!("sugg_{}", &digits[..12]);
            if !self.groups.iter().any(|group| group.suggestion_id == id) {
                return (id, format!("group_{}", &digits[12..20]));
            }
            again += 1;
        }
    }

    /// Those that were changed since this was last asked, with their vectors as they are kept.
    pub(super) fn take_changed(&mut self) -> Vec<&Group> {
        let mut taken = Vec::new();
        for ((group, vector), changed) in self.groups.iter_mut().zip(&self.vectors).zip(&mut self.changed) {
            if std::mem::take(changed) {
                // Four digits tell more than the words did.
                let rounded: Vec<f64> = vector
                    .iter()
                    .map(|number| (f64::from(*number) * 1e4).round() / 1e4)
                    .collect();
                group.embedding = Json::from_serialize(&rounded).unwrap_or_else(|_| Json::empty_array());
                taken.push(&*group);
            }
        }
        taken
    }

    /// Those whose vectors another one made: where they are, and what happens in them.
    pub(super) fn made_by_others(&self, embedded_by: &str) -> (Vec<usize>, Vec<SuggestedPattern>) {
        let places = self.groups.iter().enumerate();
        places
            .filter(|(_, group)| group.embedded_by != embedded_by)
            .map(|(place, group)| (place, group.pattern.clone()))
            .unzip()
    }

    /// Gives those at these places new vectors.
    pub(super) fn embed_again(&mut self, places: &[usize], vectors: Vec<Vec<f32>>, embedded_by: &str) {
        for (place, vector) in places.iter().zip(vectors) {
            embedded_by.clone_into(&mut self.groups[*place].embedded_by);
            self.vectors[*place] = vector;
            self.changed[*place] = true;
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Group] {
        &self.groups
    }
}
