//! Where suggestions are in Firestore, as variables of the environment name it.

/// Which database, and which collections in it. It knows nothing of the environment: a function looks variables up.
#[derive(Clone, Debug, Default)]
pub struct FirestoreSettings {
    /// `GOOGLE_CLOUD_PROJECT`; where there is none, that of the credentials.
    pub(super) project: Option<String>,
    /// `FIRESTORE_COLLECTION_PREFIX`: what all names of collections begin with.
    pub(super) prefix: String,
    /// `FIRESTORE_EMULATOR_HOST`: host and port of an emulator, which is let in by anybody.
    pub(super) emulator: Option<String>,
}

impl FirestoreSettings {
    /// The settings that these variables make; an empty one is as good as none.
    #[must_use]
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name| {
            let value = variable(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        Self {
            project: text("GOOGLE_CLOUD_PROJECT"),
            prefix: text("FIRESTORE_COLLECTION_PREFIX").unwrap_or_default(),
            emulator: text("FIRESTORE_EMULATOR_HOST"),
        }
    }

    /// What is configured, on one line.
    #[must_use]
    pub fn shown(&self) -> String {
        let project = self.project.as_deref().unwrap_or("of the credentials");
        let emulator = self.emulator.as_ref().map(|host| format!(", emulator at {host}"));
        format!(
            "project {project}, collections {}…{}",
            self.prefix,
            emulator.unwrap_or_default()
        )
    }
}
