//! Tools that wrap a built-in tool, and their calls. The call that was approved may run once while the wrapper's call lasts
//! (CONTRACT 5.8); every other call that the wrapper makes is decided by itself.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde::Deserialize;
use serde_json::Value;

/// The built-in tool that a wrapper is made from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WrappedTool {
    /// Name of the built-in tool.
    pub name: String,
    /// Working directory; that of the session if `None`.
    #[serde(default)]
    pub cwd: Option<String>,
    /// The wrapper has the approval of the built-in tool, and none of its own.
    #[serde(default)]
    pub keeps_approval: bool,
}

/// A call of a wrapper. Clones are the same call.
#[derive(Clone, Debug)]
pub struct WrappedCall(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    wrapper: String,
    tool: WrappedTool,
    arguments: Option<Value>,
    is_open: AtomicBool,
}

impl WrappedCall {
    /// Creates the call of the tool named `wrapper`. `arguments` are those that were approved; `None` if they are not arguments
    /// of the built-in tool.
    pub fn new(wrapper: impl Into<String>, tool: WrappedTool, arguments: Option<Value>) -> Self {
        let wrapper = wrapper.into();
        Self(Arc::new(Inner { wrapper, tool, arguments, is_open: AtomicBool::new(true) }))
    }

    /// Returns the name of the wrapper.
    pub fn wrapper(&self) -> &str {
        &self.0.wrapper
    }

    /// Returns the built-in tool.
    pub fn tool(&self) -> &WrappedTool {
        &self.0.tool
    }

    /// Returns the approved arguments, if they are arguments of the built-in tool.
    pub fn arguments(&self) -> Option<&Value> {
        self.0.arguments.as_ref()
    }

    /// Uses the approval. Returns whether it was still unused.
    pub fn take(&self) -> bool {
        self.0.is_open.swap(false, Ordering::SeqCst)
    }
}
