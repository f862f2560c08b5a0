//! The descriptions. A test compares them with the schema of both databases.

use super::ColumnDefault::{
    Bool, Double, EmptyArray, EmptyObject, FreshId, FreshText, Int, Now, RandomId, Text, Texts,
};
use super::{Column, ColumnCheck, ColumnType as Type, ForeignKey, Table, Verb};
use crate::Policy;

/// Rows that come of a search alone, and may be marked as deleted.
const SOFT_DELETED: &[Verb] = &[Verb::Select, Verb::Update];

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
        primary_key: &["id"],
        unique_keys: &[],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::ALL,
        service_may: Verb::ALL,
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
        primary_key: &["id"],
        unique_keys: &[],
        foreign_keys: &[ForeignKey {
            column: "session_id",
            references: "sb_sessions",
        }],
        tenant: "user_id",
        user_may: Verb::ALL,
        service_may: Verb::ALL,
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
        primary_key: &["id"],
        unique_keys: &[],
        foreign_keys: &[ForeignKey {
            column: "session_id",
            references: "sb_sessions",
        }],
        tenant: "user_id",
        user_may: Verb::ALL,
        service_may: Verb::ALL,
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
        primary_key: &["id"],
        unique_keys: &[&["user_id", "id"]],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::ALL,
        service_may: Verb::ALL,
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
        primary_key: &["id"],
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
        service_may: Verb::ALL,
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
        primary_key: &["id"],
        unique_keys: &[&["user_id"]],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::ALL,
        service_may: Verb::ALL,
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
        primary_key: &["id"],
        unique_keys: &[&["user_id", "interaction_id"]],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: &[Verb::Select, Verb::Insert],
        service_may: Verb::ALL,
    },
    Table {
        name: "prompt_optimization_runs",
        about: "A search for a better prompt. Rows come of `pawl evolve`; one that has `deleted_at` is nobody's any more.",
        columns: &[
            Column::new("id", Type::Text).with_default(RandomId("aor")),
            Column::new("user_id", Type::Uuid),
            Column::new("signature_name", Type::Text).required(),
            Column::new("status", Type::Text)
                .with_default(Text("pending"))
                .checked(ColumnCheck::OneOf(&[
                    "pending",
                    "running",
                    "completed",
                    "failed",
                    "cancelled",
                ])),
            Column::new("config", Type::Jsonb).with_default(EmptyObject),
            Column::new("best_score", Type::Real),
            Column::new("iterations", Type::Int).with_default(Int(0)),
            Column::new("dimension_weights", Type::Jsonb).with_default(EmptyObject),
            Column::new("lost_metric_calls", Type::BigInt).with_default(Int(0)),
            Column::new("lost_reflections", Type::BigInt).with_default(Int(0)),
            Column::new("lost_tokens", Type::BigInt).with_default(Int(0)),
            Column::new("lost_usd_nanos", Type::BigInt).with_default(Int(0)),
            Column::new("elapsed_ms", Type::BigInt).with_default(Int(0)),
            Column::new("best_candidate_id", Type::Text),
            Column::new("finish", Type::Text),
            Column::new("error", Type::Text),
            Column::new("created_at", Type::Timestamp).with_default(Now),
            Column::new("completed_at", Type::Timestamp),
            Column::new("deleted_at", Type::Timestamp),
        ],
        primary_key: &["id"],
        unique_keys: &[],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::READ,
        service_may: SOFT_DELETED,
    },
    Table {
        name: "prompt_candidates",
        about: "One version of a prompt within a search, those that were refused among them.",
        columns: &[
            Column::new("id", Type::Text).with_default(RandomId("apc")),
            Column::new("user_id", Type::Uuid),
            Column::new("run_id", Type::Text).required(),
            Column::new("instructions", Type::Text).required(),
            Column::new("components", Type::Jsonb).with_default(EmptyArray),
            Column::new("demos", Type::Jsonb).with_default(EmptyArray),
            Column::new("digest", Type::Text).required(),
            Column::new("status", Type::Text)
                .required()
                .checked(ColumnCheck::OneOf(&[
                    "proposed", "accepted", "rejected", "refused",
                ])),
            Column::new("parent_id", Type::Text),
            Column::new("parents", Type::Jsonb).with_default(EmptyArray),
            Column::new("edited", Type::Jsonb).with_default(EmptyArray),
            Column::new("reason", Type::Text),
            Column::new("step", Type::BigInt).required(),
            Column::new("generation", Type::Int).with_default(Int(0)),
            Column::new("coverage", Type::Int).with_default(Int(0)),
            Column::new("avg_score", Type::Real),
            Column::new("dimension_scores", Type::Jsonb).with_default(EmptyObject),
            Column::new("created_at", Type::Timestamp).with_default(Now),
            Column::new("deleted_at", Type::Timestamp),
        ],
        primary_key: &["id"],
        unique_keys: &[],
        foreign_keys: &[
            ForeignKey {
                column: "run_id",
                references: "prompt_optimization_runs",
            },
            ForeignKey {
                column: "parent_id",
                references: "prompt_candidates",
            },
        ],
        tenant: "user_id",
        user_may: Verb::READ,
        service_may: SOFT_DELETED,
    },
    Table {
        name: "prompt_evaluations",
        about: "A candidate tried on an example, with its score, feedback and trace.",
        columns: &[
            Column::new("id", Type::Text).with_default(RandomId("ape")),
            Column::new("candidate_id", Type::Text).required(),
            Column::new("example_id", Type::Text)
                .required()
                .checked(ColumnCheck::Letters(255)),
            Column::new("score", Type::Real).required(),
            Column::new("feedback", Type::Text),
            Column::new("trace", Type::Jsonb),
            Column::new("dimension_scores", Type::Jsonb)
                .with_default(EmptyObject)
                .or_null(),
            Column::new("created_at", Type::Timestamp).with_default(Now),
            Column::new("deleted_at", Type::Timestamp),
            Column::new("user_id", Type::Uuid),
        ],
        primary_key: &["id"],
        unique_keys: &[],
        foreign_keys: &[ForeignKey {
            column: "candidate_id",
            references: "prompt_candidates",
        }],
        tenant: "user_id",
        user_may: Verb::READ,
        service_may: SOFT_DELETED,
    },
    Table {
        name: "prompts",
        about: "A prompt that agents read: which of its versions is live.",
        columns: &[
            Column::new("user_id", Type::Uuid).required(),
            Column::new("name", Type::Text)
                .required()
                .checked(ColumnCheck::Letters(100)),
            Column::new("live_version", Type::Int).required(),
            Column::new("updated_at", Type::Timestamp).with_default(Now),
        ],
        primary_key: &["user_id", "name"],
        unique_keys: &[],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::READ,
        service_may: Verb::READ,
    },
    Table {
        name: "prompt_versions",
        about: "A version of a prompt, as it is or was live.",
        columns: &[
            Column::new("user_id", Type::Uuid).required(),
            Column::new("name", Type::Text).required(),
            Column::new("version", Type::Int).required(),
            Column::new("components", Type::Jsonb).required(),
            Column::new("candidate_id", Type::Text),
            Column::new("created_at", Type::Timestamp).with_default(Now),
        ],
        primary_key: &["user_id", "name", "version"],
        unique_keys: &[],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::READ,
        service_may: Verb::READ,
    },
    Table {
        name: "promotion_verdicts",
        about: "The recorded decision that let a candidate become live, or refused it.",
        columns: &[
            Column::new("user_id", Type::Uuid).required(),
            Column::new("id", Type::Text).with_default(RandomId("apv")),
            Column::new("name", Type::Text).required(),
            Column::new("kind", Type::Text)
                .required()
                .checked(ColumnCheck::OneOf(&[
                    "initial",
                    "promoted",
                    "refused",
                    "overridden",
                    "rolled_back",
                ])),
            Column::new("from_version", Type::Int),
            Column::new("to_version", Type::Int),
            Column::new("candidate_id", Type::Text),
            Column::new("decided_by", Type::Text).required(),
            Column::new("reason", Type::Text).required(),
            Column::new("findings", Type::Jsonb).with_default(EmptyObject),
            Column::new("created_at", Type::Timestamp).with_default(Now),
        ],
        primary_key: &["user_id", "id"],
        unique_keys: &[],
        foreign_keys: &[],
        tenant: "user_id",
        user_may: Verb::READ,
        service_may: Verb::READ,
    },
];
