//! Recording of calls: what a custom tool asked of its surroundings is kept beside the session.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use toolsmith_tool::{
    CWD_MARK, CallTape, LoadRecording, OriginKind, Recording, ToolContext, ToolResult, redact_value,
};

use super::call::CallEnd;

/// Kind of the artifacts that hold recordings.
pub const RECORDING: &str = "recording";
/// Kind of the artifacts that hold the loads of modules, which recordings refer to.
pub const LOAD_RECORDING: &str = "load-recording";
/// The most bytes of one recording.
const MAX_BYTES: usize = 8 << 20;

/// Settings for the recording of calls.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RecordCalls {
    /// Values that are not written, wherever they occur.
    pub secrets: Vec<String>,
    loads: SavedLoads,
}

/// The ids of the artifacts with loads, by their directory and the hash of their text.
type SavedLoads = Arc<Mutex<HashMap<(PathBuf, u64), String>>>;

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
    /// Id of the artifact with the load of the module. Calls of one instance have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<String>,
    /// End of the call.
    #[serde(default)]
    pub end: RecordedEnd,
    /// The tool's own result, without credentials.
    #[serde(default)]
    pub result: Option<ToolResult>,
}

/// The end of a recorded call, as far as a replay depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RecordedEnd {
    /// The tool answered, or the recording is of a version that did not record this.
    #[default]
    Answered,
    /// The call was refused before the tool ran.
    Refused,
    /// The call missed its deadline.
    TimedOut,
    /// The call was stopped by the user or a limit.
    Stopped,
}

impl From<&CallEnd> for RecordedEnd {
    fn from(end: &CallEnd) -> Self {
        match end {
            CallEnd::TimedOut(_) => Self::TimedOut,
            CallEnd::Stopped(_) => Self::Stopped,
            _ => Self::Answered,
        }
    }
}

impl RecordCalls {
    /// Creates rules that keep these values out of recordings.
    pub fn new(secrets: Vec<String>) -> Self {
        Self { secrets, loads: SavedLoads::default() }
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
        end: RecordedEnd,
    ) {
        let Some(folder) = context.session.artifacts_dir() else { return };
        let cwd = context.session.cwd();
        let recording = tape.take();
        let secrets = recording.secrets(&self.secrets);
        let mut result = serde_json::to_value(result).unwrap_or_default();
        redact_value(&mut result, &secrets);
        let mut recording = recording.redacted(&secrets).replacing(&cwd.to_string_lossy(), CWD_MARK);
        let result = serde_json::from_value(result).ok();
        let saved = recording.load.take().map(|load| self.save_load(&load, folder, context)).transpose();
        let saved = saved.and_then(|load| {
            let (call_id, tool) = (id.to_owned(), tool.to_owned());
            let call = RecordedCall { call_id, tool, recording, load, end, result };
            save(&serde_json::to_string(&call).map_err(|error| error.to_string())?, RECORDING, context)
        });
        if let Err(error) = saved {
            tracing::warn!(error, tool, "A call was not recorded");
        }
    }

    /// Saves a load, unless the same was saved for an earlier call, and returns the id of its artifact. A later call may
    /// have found more credentials in it.
    fn save_load(
        &self,
        load: &LoadRecording,
        folder: PathBuf,
        context: &ToolContext,
    ) -> Result<String, String> {
        let text = serde_json::to_string(load).map_err(|error| error.to_string())?;
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let mut loads = self.loads.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (folder, hasher.finish());
        if let Some(id) = loads.get(&key) {
            return Ok(id.clone());
        }
        let id = save(&text, LOAD_RECORDING, context)?;
        loads.insert(key, id.clone());
        Ok(id)
    }
}

/// Saves an artifact and returns its id.
fn save(text: &str, kind: &str, context: &ToolContext) -> Result<String, String> {
    let saved = context.session.save_artifact(text, kind);
    saved.map(|artifact| artifact.id).map_err(|error| error.to_string())
}
