//! Start and end of a session.

use std::time::Duration;

use serde_json::json;
use toolsmith_tool::{CancelToken, ToolContext};

use super::{definition::HookEvent, runner::Hooks};

/// Time that all hooks of the end of a session have together. The program waits for them.
const END: Duration = Duration::from_millis(1500);

/// Reason of a session's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionStartSource {
    /// A new session.
    Startup,
    /// An earlier session continues.
    Resume,
    /// A new session in place of another.
    Clear,
    /// The session was compacted.
    Compact,
    /// A copy of a session.
    Fork,
}

impl SessionStartSource {
    fn as_str(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Fork => "fork",
        }
    }
}

/// Reason of a session's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEndReason {
    /// A new session takes its place.
    Clear,
    /// Another session is opened.
    Resume,
    /// The program ends.
    Exit,
}

impl SessionEndReason {
    fn as_str(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Resume => "resume",
            Self::Exit => "other",
        }
    }
}

impl Hooks {
    /// Starts the hooks of the start of a session. The first prompt waits for them; what they print is sent with it.
    pub async fn session_started(&self, source: SessionStartSource, context: ToolContext) {
        if !self.has(HookEvent::SessionStart) {
            return;
        }
        let own = self.clone();
        self.set_starting(tokio::spawn(async move {
            let texts = own.session_start(source, &context, &context.cancel).await;
            own.keep_context(texts);
        }))
        .await;
    }

    /// Runs the hooks of the start of a session and returns their texts for the model.
    pub(super) async fn session_start(
        &self,
        source: SessionStartSource,
        context: &ToolContext,
        cancel: &CancelToken,
    ) -> Vec<String> {
        let model = context.agent.model().and_then(|model| model.get("id").cloned());
        let fields = json!({ "source": source.as_str(), "model": model });
        self.fire(HookEvent::SessionStart, source.as_str(), fields, context, cancel).await.context
    }

    /// Runs the hooks of the end of a session, and ends those that still run.
    pub async fn session_ended(&self, reason: SessionEndReason, context: &ToolContext) {
        if self.has(HookEvent::SessionEnd) {
            let fields = json!({ "reason": reason.as_str() });
            let ended = self.fire(HookEvent::SessionEnd, reason.as_str(), fields, context, &context.cancel);
            // Dropping them kills their processes.
            if tokio::time::timeout(END, ended).await.is_err() {
                self.notice("The hooks of the end of the session took too long and were stopped".to_owned());
            }
        }
        self.end_background().await;
    }
}
