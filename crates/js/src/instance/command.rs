//! What an instance's thread can be told. Everything that reaches the engine comes through one queue of these.

use std::path::PathBuf;

use tokio::sync::oneshot;
use toolsmith_tool::{ToolContext, ToolError};

use super::operations::Settled;
use crate::errors::{LoadError, LoadFailure};

/// One message to the thread.
pub(crate) enum Command {
    /// Import a module and run its factory.
    Load { call: u32, path: PathBuf, reply: oneshot::Sender<LoadReply> },
    /// Start something that settles later.
    Start { call: u32, kind: CallKind, context: Box<ToolContext>, reply: oneshot::Sender<CallReply> },
    /// Trip a call's signal.
    Abort { call: u32, reason: String },
    /// Draw something now.
    Render { number: u32, what: &'static str, width: usize, payload: String, reply: oneshot::Sender<Drawn> },
    /// An operation has ended.
    Settle { number: u64, outcome: Settled },
    /// Something was said on the bus between tools.
    Hear { channel: String, json: String },
    /// A staged action will never be used.
    ForgetPending { number: u32 },
    /// Input for a component that a tool shows, or a request to draw it.
    View { number: u32, what: &'static str, payload: String, reply: Option<oneshot::Sender<Drawn>> },
    /// A line of a sidecar's.
    Said { line: String },
    /// A sidecar ended by itself.
    Gone { reason: String },
    /// Look at the stop flags.
    Wake,
}

/// What is to be started.
#[derive(Debug)]
pub(crate) enum CallKind {
    Execute {
        number: u32,
        tool_call_id: String,
        arguments: String,
    },
    /// Apply or reject a staged action.
    Resolve {
        number: u32,
        what: &'static str,
        reason: String,
    },
    Session {
        number: u32,
        event: String,
    },
    /// `approval` or `details`.
    Approval {
        number: u32,
        what: &'static str,
        arguments: String,
    },
}

/// The JSON a call gave, or why it gave none.
pub(crate) type CallReply = Result<String, CallFailure>;

/// How a load ended.
pub(crate) struct LoadReply {
    /// What the module said.
    pub(crate) said: Result<String, Box<LoadError>>,
    /// The files it is made of.
    pub(crate) files: Vec<PathBuf>,
    /// What it asked for and this engine does not have.
    pub(crate) needs: Option<String>,
}

impl LoadReply {
    pub(crate) fn failed(error: LoadError) -> Self {
        Self { said: Err(Box::new(error)), files: Vec::new(), needs: None }
    }
}

/// How a call can fail inside the engine.
#[derive(Debug)]
pub(crate) enum CallFailure {
    /// The author's own schema refused the arguments: `(path, message)` of each problem.
    Refused(Vec<(String, String)>),
    Tool(ToolError),
}

/// What a renderer gave.
#[derive(Debug)]
pub(crate) enum Drawn {
    Lines(Vec<String>),
    Failed(String),
}

impl From<LoadFailure> for CallFailure {
    fn from(failure: LoadFailure) -> Self {
        Self::Tool(ToolError::reply(match failure {
            LoadFailure::Thrown(thrown) => thrown.full_message(),
            LoadFailure::Deadline(time) => format!("loading the tool took longer than {time:?}"),
            LoadFailure::Memory(cap) => format!("the tool needed more than {} MB of memory", cap >> 20),
            LoadFailure::Engine(message) => message,
        }))
    }
}
