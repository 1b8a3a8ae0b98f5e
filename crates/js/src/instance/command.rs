//! Commands to an instance's thread. Everything reaches the engine through one queue of these.

use std::{path::PathBuf, sync::Arc};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::oneshot;
use toolsmith_tool::{CallTape, RenderedLines, ToolContext, ToolError};

use super::operations::Settled;
use crate::charge::Charge;
use crate::{
    definitions::Observed,
    errors::{LoadError, LoadFailure, Thrown},
};

/// One command.
pub(crate) enum Command {
    /// Import a module and run its factory.
    Load { call: u32, path: PathBuf, tape: Option<CallTape>, reply: oneshot::Sender<LoadReply> },
    /// Start something that settles later.
    Start { call: u32, kind: CallKind, context: Box<ToolContext>, reply: oneshot::Sender<CallReply> },
    /// Trigger a call's signal.
    Abort { call: u32, reason: String },
    /// Render something now.
    Render { number: u32, what: &'static str, width: usize, payload: String, reply: oneshot::Sender<Drawn> },
    /// Render a message or an entry with the renderer an extension registered.
    RenderExtension {
        number: u32,
        kind: &'static str,
        width: usize,
        payload: String,
        reply: oneshot::Sender<Drawn>,
    },
    /// A partial result of an action.
    TaskUpdate { number: u64, json: String },
    /// An operation ended.
    Settle { number: u64, outcome: Settled, held: Option<Charge> },
    /// An event on the bus between tools.
    Hear { channel: String, json: String },
    /// A pending action will never be used.
    ForgetPending { number: u32 },
    /// Input for a component that a tool shows, or a request to render it.
    View { number: u32, what: &'static str, payload: String, reply: Option<oneshot::Sender<Drawn>> },
    /// A line from a sidecar.
    Said { line: String },
    /// A sidecar exited.
    Gone { reason: String },
    /// A sidecar was killed because it used more memory than it may.
    OverMemory,
    /// Check the stop flags.
    Wake,
}

/// Kinds of calls.
#[derive(Debug)]
pub(crate) enum CallKind {
    Execute {
        number: u32,
        tool_call_id: String,
        arguments: Arc<Value>,
    },
    /// Apply or reject a pending action.
    Resolve {
        number: u32,
        what: &'static str,
        reason: String,
    },
    Session {
        number: u32,
        event: String,
    },
    /// Something of an extension: `event`, `command`, `completions` or `shortcut`.
    Extension {
        number: u32,
        what: &'static str,
        name: String,
        payload: String,
    },
    /// `approval` or `details`.
    Approval {
        number: u32,
        what: &'static str,
        arguments: String,
    },
    /// The module's `getState`.
    State {
        number: u32,
    },
}

/// The outcome of a call, or its failure.
pub(crate) type CallReply = Result<Answer, CallFailure>;

/// The outcome of a call.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The outcome as JSON; empty for none.
    pub(crate) json: String,
    /// The details of a result, if they are not part of the JSON.
    pub(crate) details: Option<Value>,
}

/// Outcome of a load.
pub(crate) struct LoadReply {
    /// The module's definitions.
    pub(crate) said: Result<String, Box<LoadError>>,
    /// Its files.
    pub(crate) files: Vec<PathBuf>,
    /// A feature it needs that this engine lacks.
    pub(crate) needs: Option<String>,
    /// Everything the load depended on, where that is known.
    pub(crate) observed: Option<Box<Observed>>,
}

impl LoadReply {
    pub(crate) fn failed(error: LoadError) -> Self {
        Self { said: Err(Box::new(error)), files: Vec::new(), needs: None, observed: None }
    }
}

/// Failures of a call inside the engine.
#[derive(Debug)]
pub(crate) enum CallFailure {
    /// The author's own schema rejected the arguments: `(path, message)` of each problem.
    Refused(Vec<(String, String)>),
    Tool(ToolError),
}

/// Result of a renderer.
#[derive(Debug)]
pub(crate) enum Drawn {
    Lines(RenderedLines),
    /// Another answer of a component.
    Json(Value),
    Failed(String),
}

impl Drawn {
    /// Reads the kernel's answer: `(kind, payload)`.
    pub(crate) fn read(kind: &str, payload: &str) -> Self {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Lines(Vec<String>),
            Framed {
                lines: Vec<String>,
                #[serde(default, rename = "isFramed")]
                is_framed: bool,
            },
        }
        match kind {
            "lines" => match serde_json::from_str(payload) {
                Ok(Form::Lines(lines)) => Self::Lines(lines.into()),
                Ok(Form::Framed { lines, is_framed }) => {
                    let mut drawn = RenderedLines::from(lines);
                    drawn.is_framed = is_framed;
                    Self::Lines(drawn)
                }
                Err(error) => Self::Failed(error.to_string()),
            },
            "json" => {
                serde_json::from_str(payload).map_or_else(|error| Self::Failed(error.to_string()), Self::Json)
            }
            "gone" => Self::Failed("the component was removed".to_owned()),
            _ => Self::Failed(Thrown::from_json(payload).full_message()),
        }
    }
}

impl From<LoadFailure> for CallFailure {
    fn from(failure: LoadFailure) -> Self {
        Self::Tool(ToolError::reply(match failure {
            LoadFailure::Thrown(thrown) => thrown.full_message(),
            LoadFailure::Deadline(time) => format!("loading the tool exceeded {time:?}"),
            LoadFailure::Memory(cap) => format!("the tool exceeded its memory limit of {} MB", cap >> 20),
            LoadFailure::Engine(message) => message,
        }))
    }
}
