//! How all of it is tested: a real database per test on both engines, sample rows, and a
//! scripted model server.

mod database;
#[cfg(feature = "server")]
pub mod evolution;
#[cfg(feature = "firestore")]
mod firestore;
/// What requests to the server and its answers are made of.
#[cfg(feature = "server")]
pub mod http {
    pub use reqwest::redirect;
    pub use reqwest::{Body, Client, Error, Method, RequestBuilder, Response, StatusCode};
}
#[cfg(feature = "models")]
mod model_server;
pub mod samples;
#[cfg(feature = "server")]
mod server;

pub use database::{Engine, TestDatabase};
#[cfg(feature = "firestore")]
pub use firestore::FirestoreEmulator;
#[cfg(feature = "models")]
pub use model_server::{Asked, CalledTool, Dialect, Fault, ModelServer, Reply, Rule, Script};
#[cfg(feature = "server")]
pub use server::{FakeClock, Identity, TestServer, TestUser};

/// Stamps each test body for both engines: `async fn name(database: TestDatabase)` becomes the tests
/// `sqlite::name` and `postgres::name`.
#[macro_export]
macro_rules! on_both_engines {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name($crate::TestDatabase::new($crate::Engine::Sqlite).await).await;
            })+
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name($crate::TestDatabase::new($crate::Engine::Postgres).await).await;
            })+
        }
    };
}

/// Stamps each test body for suggestions in Firestore: `async fn name(database: TestDatabase)` becomes the test
/// `firestore::name`.
#[cfg(feature = "firestore")]
#[macro_export]
macro_rules! over_firestore {
    ($($name:ident),+ $(,)?) => {
        mod firestore {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let database = $crate::TestDatabase::new($crate::Engine::Sqlite).await;
                super::$name(database.with_firestore().await).await;
            })+
        }
    };
}
