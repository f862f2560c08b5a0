//! How the log is kept short.

use super::*;

#[tokio::test]
async fn a_log_that_is_long_is_copied_into_the_file_and_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pawl.db");
    let sqlite = Sqlite::open(&path).await.unwrap();
    let write = async |text: &str| {
        let mut transaction = sqlite.begin_writing(Amount::Any).await.unwrap();
        transaction.execute(text, Actor::Service, &[]).unwrap();
        transaction.commit().unwrap();
        LOGGED.get()
    };
    write("create table lumps (lump blob)").await;
    let mut longest = 0;
    while longest < LONG {
        longest = write("insert into lumps values (zeroblob(1048576))").await;
    }
    let started = Instant::now();
    // SQLite writes nothing that is there already.
    while write("update lumps set lump = randomblob(8) where rowid = 1").await >= LONG {
        assert!(started.elapsed() < Duration::from_secs(30));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(std::fs::metadata(&path).unwrap().len() > 16 * 1_048_576);
}
