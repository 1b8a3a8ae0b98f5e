//! What goes into dispatch and what comes out: plain data, and what is heard in between.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use serde_json::Value;
use toolsmith_tool::{CallMetrics, Repair, Stop, ToolContext, ToolResult};

use crate::approval::{ApprovalRequest, Decision};

/// Arguments as they came.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arguments {
    /// JSON text, as models write it; malformed JSON is repaired.
    Text(String),
    /// A value already.
    Value(Value),
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Arguments {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

/// Events of a call in progress. None of them waits for the listener.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallEvent<'a> {
    /// Its turn has come. Arguments that cannot be prepared are not known yet.
    Started,
    /// The arguments are what the tool will get.
    Prepared {
        /// The arguments.
        arguments: &'a Value,
    },
    /// Somebody is asked.
    ApprovalRequested {
        /// The question.
        request: &'a ApprovalRequest,
    },
    /// Somebody answered.
    ApprovalDecided {
        /// The question.
        request: &'a ApprovalRequest,
        /// The answer.
        decision: &'a Decision,
    },
    /// A partial result (CONTRACT 4.3).
    Update {
        /// The partial result.
        partial: &'a ToolResult,
    },
    /// It is over.
    Finished {
        /// How.
        outcome: &'a CallOutcome,
    },
}

pub(super) type Observer = Arc<dyn Fn(CallEvent<'_>) + Send + Sync>;

/// A call to be made.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallRequest {
    /// The model's id for it, or any other that is unique.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Arguments of the call.
    pub arguments: Arguments,
    /// Context for the tool. Its cancel token stops the call; its sink receives the updates.
    pub context: ToolContext,
    /// This call's own deadline, in place of the tool's and of the setting.
    pub deadline: Option<Duration>,
    /// The tools that may be called; `None` for every registered one. A model may only call what it was offered.
    pub offered: Option<Arc<[String]>>,
    pub(super) observer: Option<Observer>,
}

impl CallRequest {
    /// A call with nothing around it.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            context: ToolContext::detached(),
            deadline: None,
            offered: None,
            observer: None,
        }
    }

    /// Sets what the tool is handed.
    #[must_use]
    pub fn context(mut self, context: ToolContext) -> Self {
        self.context = context;
        self
    }

    /// Sets this call's own deadline.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Refuses every tool but these.
    #[must_use]
    pub fn offered(mut self, names: impl Into<Arc<[String]>>) -> Self {
        self.offered = Some(names.into());
        self
    }

    /// Returns whether this tool may be called.
    pub(super) fn may_call(&self, name: &str) -> bool {
        self.offered.as_ref().is_none_or(|names| names.iter().any(|offered| offered == name))
    }

    /// Listens. The listener must not block.
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(CallEvent<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    pub(super) fn tell(&self, event: CallEvent<'_>) {
        if let Some(observer) = &self.observer {
            observer(event);
        }
    }
}

impl fmt::Debug for CallRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRequest")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("arguments", &self.arguments)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

/// How a call ended, in one word for programs; the result has the words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallEnd {
    /// The tool answered, maybe with an error of its own.
    Answered,
    /// There is no such tool, or it may not be called now.
    UnknownTool,
    /// The arguments could not be made valid.
    InvalidArguments,
    /// A gate refused.
    Blocked,
    /// A person, a setting or the tool itself refused; or nobody could be asked.
    Denied,
    /// Its id was taken by an earlier call of the batch.
    DuplicateId,
    /// It was cancelled.
    Stopped(Stop),
    /// It took too long.
    TimedOut(Stop),
    /// It exceeded a limit of its budget and was stopped, or there was nothing left of a budget and it did not run.
    OverBudget,
    /// The tool panicked.
    Panicked,
    /// The run cannot go on.
    Fatal,
}

/// Outcome of a call. There always is a result: every failure is one the model can read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallOutcome {
    /// The call's id.
    pub id: String,
    /// The tool's name, as it was called.
    pub name: String,
    /// Arguments the tool received; `None` if it was not called.
    pub arguments: Option<Value>,
    /// Result for the model and the user.
    pub result: ToolResult,
    /// How it ended.
    pub end: CallEnd,
    /// Repairs of the arguments.
    pub repairs: Vec<Repair>,
    /// Time of the call, without the time a person took to approve it.
    pub duration: Duration,
    /// Its use; `None` if the tool was not called.
    pub metrics: Option<CallMetrics>,
    /// The whole output, where the result has only parts of it (CONTRACT 4.9).
    pub full_output: Option<PathBuf>,
}

impl CallOutcome {
    /// Returns whether the call failed.
    pub fn is_error(&self) -> bool {
        self.result.is_error
    }

    /// Returns whether the arguments were repaired.
    pub fn is_repaired(&self) -> bool {
        !self.repairs.is_empty()
    }

    /// Returns whether the run cannot continue.
    pub fn is_fatal(&self) -> bool {
        self.end == CallEnd::Fatal
    }
}
