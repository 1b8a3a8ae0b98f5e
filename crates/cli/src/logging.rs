//! The log: a file in the user's home (CONTRACT 3.4). What tools print is shown too by the commands of authors.

use std::{
    io::Write as _,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use toolsmith::Home;
use toolsmith_host::log::{LogLines, RotatingFile};
use toolsmith_text::plain;
use tracing::Level;

use crate::{
    output::one_line,
    streams,
    terminal::{DIM, paint},
};

/// Starts the log. `TOOLSMITH_LOG` sets the level: `error`, `warn`, `info` (default), `debug` or `trace`.
pub(crate) fn start() {
    let level = std::env::var("TOOLSMITH_LOG").ok().and_then(|word| word.parse().ok()).unwrap_or(Level::INFO);
    // Commands that need the home say what is wrong with it.
    let Ok(home) = Home::from_environment() else { return };
    LogLines::new(RotatingFile::new(file(&home)), level).on_printed(show_printed).install();
}

/// Returns the log file of a user.
pub(crate) fn file(home: &Home) -> PathBuf {
    home.toolsmith().join("logs/toolsmith.log")
}

static SHOWS_PRINTED: AtomicBool = AtomicBool::new(false);

/// Shows what tools print from now on, on standard error.
pub(crate) fn show_tool_output() {
    SHOWS_PRINTED.store(true, Ordering::Relaxed);
}

fn show_printed(tool: &str, text: &str) {
    if !SHOWS_PRINTED.load(Ordering::Relaxed) {
        return;
    }
    let mut out = streams::stderr();
    for line in text.lines() {
        let line = format!("{} │ {}", one_line(tool), plain(line));
        let _ = writeln!(out, "{}", paint(DIM, line));
    }
}
