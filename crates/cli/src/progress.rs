//! Progress messages on standard error, shown only on a terminal and removed when done.

use std::{
    io::{IsTerminal as _, Write as _},
    time::Duration,
};

use tokio::task::JoinHandle;

/// Fast work shows no message.
const PATIENCE: Duration = Duration::from_millis(400);

/// Work that may take long.
pub(crate) struct Progress {
    task: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts. Needs a tokio runtime.
    pub(crate) fn start(what: &'static str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { task: None };
        }
        let task = tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            for frame in ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"].into_iter().cycle() {
                let _ = write!(std::io::stderr(), "\r{frame} {what}…\x1b[K");
                tokio::time::sleep(Duration::from_millis(120)).await;
            }
        });
        Self { task: Some(task) }
    }

    /// Ends and clears the line.
    pub(crate) fn end(self) {
        if let Some(task) = self.task {
            task.abort();
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
