//! Prints each event as one line of JSON on standard output.

use std::io::{self, Write as _};

use anyhow::Result;
use toolsmith_agent::{AgentEvent, RunEnd, Subscription};

/// Writes events until the run ends.
pub(super) async fn follow(mut events: Subscription) -> Result<RunEnd> {
    let mut out = io::stdout().lock();
    while let Some(event) = events.next().await {
        serde_json::to_writer(&mut out, event.as_ref())?;
        // Flushed line by line, so that readers can react.
        out.write_all(b"\n")?;
        out.flush()?;
        if let AgentEvent::AgentEnd { end, .. } = event.as_ref() {
            return Ok(end.clone());
        }
    }
    Ok(RunEnd::Completed)
}
