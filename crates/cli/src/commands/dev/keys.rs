//! Keys during `dev`: lines of standard input.

use std::io::BufRead as _;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Reads lines in a thread of its own, which ends with the program.
pub(super) fn listen() -> UnboundedReceiver<String> {
    let (sender, keys) = unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            // A line that is not text is not a key.
            let Ok(line) = line else { return };
            if sender.send(line.trim().to_owned()).is_err() {
                return;
            }
        }
    });
    keys
}
