//! Noticing that nobody reads standard output any more, without writing to it.

use std::thread;

use tokio::sync::oneshot;

use crate::system::program;

/// Waits until the reader of standard output is gone, as `head` is after its last line. Never ends where that cannot happen
/// or be seen: for files, and where no thread can be started.
pub async fn output_closed() {
    let (sender, receiver) = oneshot::channel();
    // The thread has nothing to clean up and ends with the program.
    let started = thread::Builder::new().name("output".to_owned()).spawn(move || {
        if program::wait_for_closed_output().is_ok() {
            let _ = sender.send(());
        }
    });
    if started.is_err() || receiver.await.is_err() {
        std::future::pending::<()>().await;
    }
}
