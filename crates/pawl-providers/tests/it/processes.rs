//! Whether processes that a test started are still there.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// The number that a process wrote to this file, once it is there.
pub(crate) async fn pid_in(file: &Path) -> u32 {
    loop {
        let written = fs::read_to_string(file).unwrap_or_default();
        if let Some(pid) = written.strip_suffix('\n') {
            return pid.parse().unwrap();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until the process is gone. A test that waits for ever fails by the time limit of the test runner, so this
/// gives up after a minute.
pub(crate) async fn is_gone_soon(pid: u32) -> bool {
    for _ in 0..6_000 {
        if !is_running(pid) {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

/// A zombie has ended; who has to reap it depends on the machine.
pub(crate) fn is_running(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit(") ").next().and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}
