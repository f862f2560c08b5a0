//! What is asked of the outside: models, targets over HTTP and as commands, and servers that take interactions.
//!
//! A [`TargetSpec`] is what a person wrote; a [`Target`] is called with a request and gives a reply or a failure.
//! [`Models`] give a [`ChatModel`] or an [`Embedder`] for a [`ModelSpec`]. Every call is bounded in time and size, and
//! nothing of it outlives it: dropping the future ends the request or kills the command with all it started.

mod answer;
mod attempt;
mod client;
mod command;
mod excerpt;
#[cfg(feature = "firestore")]
pub mod firestore;
mod http;
mod ingest;
mod model;
mod model_target;
mod spec;
mod target;

pub use ingest::{FetchedPolicy, IngestClient, IngestError, LivePrompt, Receipt};
pub use model::{
    ChatModel, ChatReply, ChatRequest, Embedder, EmbeddingReply, Finish, MAX_CHAT_ANSWER_BYTES, Message,
    ModelError, ModelFailure, ModelFailureKind, ModelSettings, ModelSpec, ModelSpecError, Models,
    OutputSchema, Provider, Role,
};
pub use model_target::ModelOptions;
pub use spec::{TargetSpec, TargetSpecError};
pub use target::{CommandContract, MAX_ANSWER_BYTES, Target, TargetError, TargetReply, TargetSettings};
