//! Progress messages on standard error, shown only on a terminal and removed when done.

use std::{io::Write as _, time::Duration};

use tokio::task::JoinHandle;

use crate::{
    streams::{self, Control},
    terminal,
};

/// Quick work says nothing.
const SHOWN_AFTER: Duration = Duration::from_millis(400);

/// Work that may take long.
pub(crate) struct Progress {
    task: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts. Needs a tokio runtime.
    pub(crate) fn start(what: &'static str) -> Self {
        if !terminal::is_error_terminal() {
            return Self { task: None };
        }
        let task = tokio::spawn(async move {
            tokio::time::sleep(SHOWN_AFTER).await;
            for frame in ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"].into_iter().cycle() {
                draw(frame, what);
                tokio::time::sleep(Duration::from_millis(120)).await;
            }
        });
        Self { task: Some(task) }
    }

    /// Ends and clears the line.
    pub(crate) fn end(self) {
        if let Some(task) = self.task {
            task.abort();
            let mut out = streams::stderr();
            let _ = out.control(Control::LineStart);
            let _ = out.control(Control::ClearLine);
        }
    }
}

fn draw(frame: &str, what: &str) {
    let mut out = streams::stderr();
    let _ = out.control(Control::LineStart);
    let _ = write!(out, "{frame} {what}…");
    let _ = out.control(Control::ClearLine);
}
