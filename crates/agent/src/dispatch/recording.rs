//! Recording of calls: what a custom tool asked of its surroundings is kept beside the session.

use serde::{Deserialize, Serialize};
use toolsmith_tool::{CWD_MARK, CallTape, OriginKind, Recording, ToolContext, ToolResult, redact_value};

/// Kind of the artifacts that hold recordings.
pub const RECORDING: &str = "recording";
/// The most bytes of one recording.
const MAX_BYTES: usize = 8 << 20;

/// Settings for the recording of calls.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RecordCalls {
    /// Values that are not written, wherever they occur.
    pub secrets: Vec<String>,
}

/// The recording of a call, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RecordedCall {
    /// Id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// Answers of the surroundings.
    pub recording: Recording,
    /// The tool's own result, without credentials.
    #[serde(default)]
    pub result: Option<ToolResult>,
}

impl RecordCalls {
    /// Creates rules that keep these values out of recordings.
    pub fn new(secrets: Vec<String>) -> Self {
        Self { secrets }
    }

    /// Returns the tape for a call; `None` if such tools cannot be recorded.
    pub(super) fn tape(&self, origin: OriginKind) -> Option<CallTape> {
        matches!(origin, OriginKind::Custom | OriginKind::Extension).then(|| CallTape::record(MAX_BYTES))
    }

    /// Keeps what was recorded.
    pub(super) fn keep(
        &self,
        tape: &CallTape,
        id: &str,
        tool: &str,
        context: &ToolContext,
        result: &ToolResult,
    ) {
        if context.session.artifacts_dir().is_none() {
            return;
        }
        let cwd = context.session.cwd();
        let recording = tape.take();
        let secrets = recording.secrets(&self.secrets);
        let mut result = serde_json::to_value(result).unwrap_or_default();
        redact_value(&mut result, &secrets);
        let recording = recording.redacted(&secrets).replacing(&cwd.to_string_lossy(), CWD_MARK);
        let result = serde_json::from_value(result).ok();
        let call = RecordedCall { call_id: id.to_owned(), tool: tool.to_owned(), recording, result };
        let saved = serde_json::to_string(&call).map_err(|error| error.to_string()).and_then(|text| {
            context.session.save_artifact(&text, RECORDING).map_err(|error| error.to_string())
        });
        if let Err(error) = saved {
            tracing::warn!(error, tool, "A call was not recorded");
        }
    }
}
