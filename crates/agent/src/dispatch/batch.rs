//! Several calls of one turn (CONTRACT 4.8): shared ones side by side, exclusive ones alone, results in the order asked.

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio::{sync::Semaphore, task::JoinSet};
use toolsmith_tool::{Concurrency, ToolResult};

use super::{
    call::{CallEnd, CallEvent, CallOutcome, CallRequest},
    dispatcher::Dispatcher,
};

impl Dispatcher {
    /// Makes all calls. An exclusive call waits for all before it and holds all after it. Dropping the future abandons
    /// every call.
    pub async fn run_batch(&self, requests: Vec<CallRequest>) -> Vec<CallOutcome> {
        let room = Arc::new(Semaphore::new(self.max_parallel()));
        let mut outcomes: Vec<Option<CallOutcome>> = requests.iter().map(|_| None).collect();
        let mut ids = HashSet::new();
        let mut running = JoinSet::new();
        for (at, request) in requests.into_iter().enumerate() {
            if !ids.insert(request.id.clone()) {
                outcomes[at] = Some(duplicate(&request));
                continue;
            }
            let exclusive = self.concurrency(&request.name) == Concurrency::Exclusive;
            if exclusive {
                collect(&mut running, &mut outcomes).await;
            }
            let dispatcher = self.clone();
            let room = Arc::clone(&room);
            running.spawn(async move {
                // The semaphore is never closed; if it were, a call too many at once would be the lesser harm.
                let _place = room.acquire().await;
                (at, dispatcher.call(request).await)
            });
            if exclusive {
                collect(&mut running, &mut outcomes).await;
            }
        }
        collect(&mut running, &mut outcomes).await;
        outcomes.into_iter().flatten().collect()
    }
}

async fn collect(running: &mut JoinSet<(usize, CallOutcome)>, outcomes: &mut [Option<CallOutcome>]) {
    while let Some(ended) = running.join_next().await {
        match ended {
            Ok((at, outcome)) => outcomes[at] = Some(outcome),
            // A front end's listener panicked: that is its own bug, and not this call's to hide.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => {}
        }
    }
}

/// Two results for one id cannot be told apart, so the second call does not run.
fn duplicate(request: &CallRequest) -> CallOutcome {
    request.tell(CallEvent::Started);
    let text = format!(
        "Not run: the id \"{}\" belongs to an earlier call of the same turn. Call again with an id of its own.",
        request.id
    );
    let outcome = CallOutcome {
        id: request.id.clone(),
        name: request.name.clone(),
        arguments: None,
        result: ToolResult::error(text),
        end: CallEnd::DuplicateId,
        repairs: Vec::new(),
        duration: Duration::ZERO,
        metrics: None,
        full_output: None,
    };
    request.tell(CallEvent::Finished { outcome: &outcome });
    outcome
}
