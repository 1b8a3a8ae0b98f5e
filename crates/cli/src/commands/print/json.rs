//! Prints each event as one line of JSON on standard output.

use anyhow::Result;
use toolsmith_agent::{AgentEvent, RunEnd, Subscription};

use crate::streams::print_json_line;

/// Writes events until the run is over.
pub(super) async fn follow(mut events: Subscription) -> Result<RunEnd> {
    while let Some(event) = events.next().await {
        // One line at a time, whole: whoever reads may act on it.
        print_json_line(&serde_json::to_value(event.as_ref())?)?;
        if let AgentEvent::AgentEnd { end, .. } = event.as_ref() {
            return Ok(end.clone());
        }
    }
    Ok(RunEnd::Completed)
}
