//! One read for all who ask for the same thing at once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::problem::{ErrorCode, Problem};

type Answer<V> = Result<V, Problem>;
type Waiting<K, V> = HashMap<K, Vec<oneshot::Sender<Answer<V>>>>;

/// Reads under way, and who waits for the next one. Whoever asks while there is a read under way waits for the one after
/// it: nobody is told what was so before they asked, and however many ask, there is one read at a time. Nothing is kept.
pub(crate) struct Coalesced<K, V> {
    waiting: Arc<Mutex<Waiting<K, V>>>,
}

impl<K, V> Default for Coalesced<K, V> {
    fn default() -> Self {
        Self {
            waiting: Arc::default(),
        }
    }
}

impl<K, V> Coalesced<K, V>
where
    K: Clone + Eq + Hash + Send + 'static,
    V: Clone + Send + 'static,
{
    /// What there is under a key, by a read that begins after this call.
    pub(crate) async fn get<R, F>(&self, key: K, read: R) -> Answer<V>
    where
        R: Fn() -> F + Send + 'static,
        F: Future<Output = Answer<V>> + Send,
    {
        let (sender, answered) = oneshot::channel();
        let is_first = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let is_first = !waiting.contains_key(&key);
            waiting.entry(key.clone()).or_default().push(sender);
            is_first
        };
        if is_first {
            // A task of its own: whoever asked first may go away.
            let mut reading = Reading {
                waiting: Arc::clone(&self.waiting),
                key,
                is_over: false,
            };
            tokio::spawn(async move {
                while let Some(those) = reading.next() {
                    let answer = read().await;
                    for one in those {
                        let _ = one.send(answer.clone());
                    }
                }
            });
        }
        // The task could only have panicked.
        answered
            .await
            .unwrap_or_else(|_| Err(Problem::new(ErrorCode::Internal)))
    }
}

/// The task that reads a key; while there is one the key has an entry.
struct Reading<K: Eq + Hash, V> {
    waiting: Arc<Mutex<Waiting<K, V>>>,
    key: K,
    /// Whether the entry is gone, or another task's by now.
    is_over: bool,
}

impl<K: Eq + Hash, V> Reading<K, V> {
    /// Those who wait now; none, and no entry any more, where nobody does.
    fn next(&mut self) -> Option<Vec<oneshot::Sender<Answer<V>>>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let those = std::mem::take(waiting.get_mut(&self.key)?);
        if those.is_empty() {
            waiting.remove(&self.key);
            self.is_over = true;
            return None;
        }
        Some(those)
    }
}

impl<K: Eq + Hash, V> Drop for Reading<K, V> {
    /// After a panic the next one begins anew.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn many_share_a_read_and_nobody_is_told_what_was_before() {
        let coalesced: Arc<Coalesced<u8, u32>> = Arc::default();
        let (now, reads) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let asked = (0..1_000).map(|n: u32| {
            let (coalesced, now, reads) = (Arc::clone(&coalesced), Arc::clone(&now), Arc::clone(&reads));
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(u64::from(n % 20))).await;
                let before = now.fetch_add(1, Ordering::SeqCst) + 1;
                let read = move || {
                    let (now, reads) = (Arc::clone(&now), Arc::clone(&reads));
                    async move {
                        reads.fetch_add(1, Ordering::SeqCst);
                        let seen = now.load(Ordering::SeqCst);
                        tokio::time::sleep(Duration::from_millis(2)).await;
                        Ok(seen)
                    }
                };
                let seen = coalesced.get(1, read).await.unwrap();
                assert!(seen >= before, "{seen} was so before {before}");
            })
        });
        for one in asked.collect::<Vec<_>>() {
            one.await.unwrap();
        }
        assert!(reads.load(Ordering::SeqCst) < 100);
        assert!(coalesced.waiting.lock().unwrap().is_empty(), "nothing is kept");
    }

    #[tokio::test]
    async fn a_read_that_dies_or_a_caller_that_goes_away_blocks_nobody() {
        let coalesced: Arc<Coalesced<u8, u32>> = Arc::default();
        let died = coalesced
            .get(1, || async { panic!("as the test wants it") })
            .await;
        assert!(died.is_err());
        let gone = coalesced.get(1, || async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(1)
        });
        assert!(
            tokio::time::timeout(Duration::from_millis(1), gone)
                .await
                .is_err()
        );
        assert_eq!(
            coalesced.get(1, || async { Ok(2) }).await.unwrap(),
            1,
            "the task of the first reads on"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(coalesced.get(1, || async { Ok(2) }).await.unwrap(), 2);
    }

    /// One task for a key ends while the next one begins, again and again.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn who_asks_while_the_last_reader_leaves_is_answered() {
        let coalesced: Arc<Coalesced<u8, u32>> = Arc::default();
        let asking = (0..8).map(|_| {
            let coalesced = Arc::clone(&coalesced);
            tokio::spawn(async move {
                for n in 0..20_000 {
                    coalesced.get(1, move || async move { Ok(n) }).await.unwrap();
                }
            })
        });
        for one in asking.collect::<Vec<_>>() {
            one.await.unwrap();
        }
    }
}
