//! The log: a file in the user's home, never the terminal (CONTRACT 3.4).

use toolsmith::Home;
use toolsmith_host::log::{LogLines, RotatingFile};
use tracing::Level;

/// Starts the log. `TOOLSMITH_LOG` sets the level: `error`, `warn`, `info` (default), `debug` or `trace`.
pub(crate) fn start() {
    let level = std::env::var("TOOLSMITH_LOG").ok().and_then(|word| word.parse().ok()).unwrap_or(Level::INFO);
    // Commands that need the home say what is wrong with it.
    let Ok(home) = Home::from_environment() else { return };
    let file = home.toolsmith().join("logs/toolsmith.log");
    LogLines::new(RotatingFile::new(file), level).install();
}
