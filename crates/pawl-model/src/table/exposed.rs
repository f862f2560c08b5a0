//! The descriptions. A test compares them with the schema of both databases.

use super::ColumnDefault::{
    Bool, Double, EmptyArray, EmptyObject, FreshId, FreshText, Int, Now, Text, Texts,
};
use super::{Column, ColumnCheck, ColumnType as Type, ForeignKey, Table, Verb};
use crate::Policy;

/// Every table that the data API exposes.
pub static TABLES: &[Table] = &[
    Table {
        name: "sb_sessions",
        about: "A session of the story builder.",
        columns: &[
            Column::new("id", Type::Uuid).with_default(FreshId),
            Column::new("created_at", Type::TimestampTz).with_default(Now),
            Column::new("title", Type::Text),
            Column::new("user_id", Type::Uuid),
        ],
        primary_key: "id",
        unique_keys: &[],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::ALL,
    },
    Table {
        name: "sb_stories",
        about: "A story that was made in a session.",
        columns: &[
            Column::new("id", Type::Uuid).with_default(FreshId),
            Column::new("created_at", Type::TimestampTz).with_default(Now),
            Column::new("session_id", Type::Uuid),
            Column::new("story", Type::Jsonb),
            Column::new("user_id", Type::Uuid),
        ],
        primary_key: "id",
        unique_keys: &[],
        foreign_keys: &[ForeignKey {
            column: "session_id",
            references: "sb_sessions",
        }],
        tenant: "user_id",
        user_may: Verb::ALL,
    },
    Table {
        name: "sb_actions",
        about: "Something that was done in a session.",
        columns: &[
            Column::new("id", Type::Uuid).with_default(FreshId),
            Column::new("created_at", Type::TimestampTz).with_default(Now),
            Column::new("session_id", Type::Uuid),
            Column::new("action_type", Type::Text),
            Column::new("user_id", Type::Uuid),
        ],
        primary_key: "id",
        unique_keys: &[],
        foreign_keys: &[ForeignKey {
            column: "session_id",
            references: "sb_sessions",
        }],
        tenant: "user_id",
        user_may: Verb::ALL,
    },
    Table {
        name: "sb_eval_runs",
        about: "A headless run: one execution of a suite.",
        columns: &[
            Column::new("id", Type::Uuid).with_default(FreshId),
            Column::new("created_at", Type::TimestampTz).with_default(Now),
            Column::new("run_name", Type::Text),
            Column::new("dataset_version", Type::Text).required(),
            Column::new("model", Type::Text),
            Column::new("prompt_version", Type::Text),
            Column::new("total_cases", Type::Int).with_default(Int(0)),
            Column::new("passed_cases", Type::Int).with_default(Int(0)),
            Column::new("failed_cases", Type::Int).with_default(Int(0)),
            Column::new("status", Type::Text).with_default(Text("running")),
            Column::new("completed_at", Type::TimestampTz),
            Column::new("error", Type::Text),
            Column::new("user_id", Type::Uuid),
            Column::new("suite", Type::Text),
            Column::new("target", Type::Text),
            Column::new("suite_hash", Type::Text),
            Column::new("dataset_hash", Type::Text),
            Column::new("settings", Type::Jsonb),
        ],
        primary_key: "id",
        unique_keys: &[&["user_id", "id"]],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::ALL,
    },
    Table {
        name: "sb_eval_cases",
        about: "One input of a run in one trial, with what came out and how it was judged.",
        columns: &[
            Column::new("id", Type::Uuid).with_default(FreshId),
            Column::new("run_id", Type::Uuid).required(),
            Column::new("created_at", Type::TimestampTz).with_default(Now),
            Column::new("input_data", Type::Jsonb).required(),
            Column::new("output_story", Type::Jsonb),
            Column::new("session_id", Type::Uuid),
            Column::new("story_id", Type::Uuid),
            Column::new("action_id", Type::Uuid),
            Column::new("eval_results", Type::Jsonb).with_default(EmptyObject),
            Column::new("passed", Type::Bool).with_default(Bool(false)),
            Column::new("error", Type::Text),
            Column::new("user_id", Type::Uuid),
            Column::new("trial", Type::Int).with_default(Int(1)),
            Column::new("status", Type::Text)
                .checked(ColumnCheck::OneOf(&["passed", "failed", "error", "skipped"])),
            Column::new("score", Type::Double).checked(ColumnCheck::Between(0.0, 1.0)),
            Column::new("latency_ms", Type::Int).checked(ColumnCheck::AtLeast(0.0)),
            Column::new("cost_usd", Type::Double).checked(ColumnCheck::AtLeast(0.0)),
            Column::new("output", Type::Text),
            Column::new("details", Type::Jsonb),
        ],
        primary_key: "id",
        unique_keys: &[],
        foreign_keys: &[
            ForeignKey {
                column: "run_id",
                references: "sb_eval_runs",
            },
            ForeignKey {
                column: "session_id",
                references: "sb_sessions",
            },
            ForeignKey {
                column: "story_id",
                references: "sb_stories",
            },
            ForeignKey {
                column: "action_id",
                references: "sb_actions",
            },
        ],
        tenant: "user_id",
        user_may: Verb::ALL,
    },
    Table {
        name: "evaluation_configs",
        about: "The policy of a tenant: how interactions are evaluated.",
        columns: &[
            Column::new("id", Type::Uuid).with_default(FreshId),
            Column::new("user_id", Type::Uuid).required(),
            Column::new("run_policy", Type::Text)
                .with_default(Text("always"))
                .checked(ColumnCheck::OneOf(&["always", "sampled"])),
            Column::new("sample_rate_pct", Type::Int)
                .with_default(Int(100))
                .checked(ColumnCheck::Between(0.0, 100.0)),
            Column::new("obfuscate_pii", Type::Bool).with_default(Bool(false)),
            Column::new("max_eval_per_day", Type::Int)
                .with_default(Int(1_000))
                .checked(ColumnCheck::AtLeast(0.0)),
            Column::new("created_at", Type::Timestamp).with_default(Now),
            Column::new("timezone", Type::Text).with_default(Text("UTC")),
            Column::new("keep_failures", Type::Bool).with_default(Bool(true)),
            Column::new("failure_flags", Type::TextList).with_default(Texts(&Policy::FAILURE_FLAGS)),
            Column::new("failure_score", Type::Double)
                .with_default(Double(0.5))
                .checked(ColumnCheck::Between(0.0, 1.0)),
            Column::new("success_threshold_pct", Type::Int)
                .with_default(Int(80))
                .checked(ColumnCheck::Between(0.0, 100.0)),
            Column::new("sample_salt", Type::Text).with_default(FreshText),
            Column::new("pii_patterns", Type::Jsonb).with_default(EmptyArray),
            Column::new("version", Type::Int).with_default(Int(1)),
            Column::new("updated_at", Type::Timestamp).with_default(Now),
        ],
        primary_key: "id",
        unique_keys: &[&["user_id"]],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::ALL,
    },
    Table {
        name: "evaluations",
        about: "An interaction: one thing an agent did in production. What is added goes through intake.",
        columns: &[
            Column::new("id", Type::Uuid).with_default(FreshId),
            Column::new("interaction_id", Type::Text).required(),
            Column::new("user_id", Type::Uuid).required(),
            Column::new("prompt", Type::Text).required(),
            Column::new("response", Type::Text).required(),
            Column::new("score", Type::Numeric).checked(ColumnCheck::Between(0.0, 1.0)),
            Column::new("latency_ms", Type::Int).checked(ColumnCheck::AtLeast(0.0)),
            Column::new("flags", Type::TextList).with_default(Texts(&[])),
            Column::new("pii_tokens_redacted", Type::Int)
                .with_default(Int(0))
                .checked(ColumnCheck::AtLeast(0.0)),
            Column::new("created_at", Type::Timestamp).with_default(Now),
            Column::new("received_at", Type::Timestamp).with_default(Now),
            Column::new("sample_weight", Type::Double)
                .with_default(Double(1.0))
                .checked(ColumnCheck::Above(0.0)),
            Column::new("trace", Type::Jsonb),
            Column::new("redactions", Type::Jsonb),
        ],
        primary_key: "id",
        unique_keys: &[&["user_id", "interaction_id"]],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: &[Verb::Select, Verb::Insert],
    },
];
