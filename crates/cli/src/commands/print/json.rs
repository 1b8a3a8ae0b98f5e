//! Prints each event as one line of JSON on standard output.

use std::pin::pin;

use anyhow::Result;
use toolsmith_agent::{AgentEvent, RunEnd, Subscription};

use crate::streams::print_json_line;

/// Writes events until `work` is done.
pub(super) async fn follow(
    mut events: Subscription,
    work: impl Future<Output = Result<()>>,
) -> Result<RunEnd> {
    let mut last = RunEnd::Completed;
    let mut take = |event: &AgentEvent| -> Result<()> {
        // One line at a time, whole: whoever reads may act on it.
        print_json_line(&serde_json::to_value(event)?)?;
        if let AgentEvent::AgentEnd { end, .. } = event {
            last = end.clone();
        }
        Ok(())
    };
    let mut work = pin!(work);
    let outcome = loop {
        tokio::select! {
            biased;
            event = events.next() => match event {
                Some(event) => take(&event)?,
                None => break Ok(()),
            },
            outcome = &mut work => break outcome,
        }
    };
    while let Some(event) = events.try_next() {
        take(&event)?;
    }
    outcome.map(|()| last)
}
