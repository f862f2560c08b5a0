//! Word of new jobs: within a process by itself, across processes by PostgreSQL.

use std::future::pending;
use std::sync::Arc;

use sqlx::postgres::PgListener;
use tokio::sync::Notify;

use crate::Result;

/// What PostgreSQL tells on.
const CHANNEL: &str = "pawl_jobs";

/// Tells of jobs that were queued since one last asked. What other processes queue in a SQLite file it does not tell;
/// and nothing is lost for whoever looks now and then besides.
pub struct JobNews {
    here: Arc<Notify>,
    elsewhere: Option<PgListener>,
}

impl JobNews {
    pub(crate) const fn here(here: Arc<Notify>) -> Self {
        Self {
            here,
            elsewhere: None,
        }
    }

    pub(crate) async fn everywhere(here: Arc<Notify>, pool: &sqlx::PgPool) -> Result<Self> {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(Self {
            here,
            elsewhere: Some(listener),
        })
    }

    /// Waits for the next word. It may be cancelled, and asked again.
    ///
    /// # Errors
    /// When the connection broke; it is made anew when asked again.
    pub async fn next(&mut self) -> Result<()> {
        let elsewhere = async {
            match &mut self.elsewhere {
                Some(listener) => listener.recv().await.map(drop),
                None => pending().await,
            }
        };
        tokio::select! {
            () = self.here.notified() => Ok(()),
            told = elsewhere => Ok(told?),
        }
    }
}
