//! What approved drafts are exported as.

use crate::words::words;

words! {
    /// What approved drafts are exported as.
    ExportFormat {
        /// A configuration of promptfoo.
        Promptfoo = "promptfoo",
        /// Goldens of DeepEval, in JSON.
        DeepEval = "deepeval",
        /// A module of tests for pytest.
        Pytest = "pytest",
        /// One draft per line, in JSON.
        Jsonl = "jsonl",
        /// A list of drafts, in YAML.
        Yaml = "yaml",
    }
}

impl ExportFormat {
    /// The media type of an export.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Promptfoo | Self::Yaml => "application/yaml",
            Self::DeepEval => "application/json",
            Self::Pytest => "text/x-python",
            Self::Jsonl => "application/x-ndjson",
        }
    }

    /// What its file is called, so that the tool finds it where it looks for files by name.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Promptfoo => "promptfooconfig.yaml",
            Self::DeepEval => "goldens.json",
            Self::Pytest => "test_approved_drafts.py",
            Self::Jsonl => "drafts.jsonl",
            Self::Yaml => "drafts.yaml",
        }
    }
}
