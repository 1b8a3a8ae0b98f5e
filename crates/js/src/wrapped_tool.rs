//! The built-in tool that a module's tool is made from (`createWriteTool` and the others), and its part in the wrapper's calls:
//! approval, the places of paths, and the lines of the question (CONTRACT 5.7, 5.8).

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use serde::Deserialize;
use serde_json::Value;
use toolsmith_tool::{ArgumentSchema, Tool, WrappedCall, WrappedTool};

use crate::module::ModuleHost;

/// A built-in tool as a module describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DescribedWrap {
    #[serde(flatten)]
    tool: WrappedTool,
    /// The extension's own operations do the work, in place of the built-in tool.
    #[serde(default)]
    is_replaced: bool,
}

/// The built-in tool of a wrapper.
pub(crate) struct Wrapped {
    described: DescribedWrap,
    /// The parameters of the built-in tool, compiled at the first call.
    schema: OnceLock<Option<ArgumentSchema>>,
}

impl Wrapped {
    pub(crate) fn new(described: &DescribedWrap) -> Self {
        Self { described: described.clone(), schema: OnceLock::new() }
    }

    /// Returns the name of the built-in tool.
    pub(crate) fn name(&self) -> &str {
        &self.described.tool.name
    }

    pub(crate) fn keeps_approval(&self) -> bool {
        self.described.tool.keeps_approval
    }

    /// Returns the directory that the tool was made for, if it is another than that of the session.
    pub(crate) fn other_directory(&self, module: &ModuleHost) -> Option<PathBuf> {
        let cwd = &module.options().engine.cwd;
        self.described.tool.cwd.as_ref().map(|other| cwd.join(other)).filter(|other| other != cwd)
    }

    /// Returns the built-in tool if these are arguments of it. A wrapper may have other parameters, and there may be no session.
    pub(crate) fn tool(&self, module: &ModuleHost, arguments: &Value) -> Option<Arc<dyn Tool>> {
        let WrappedTool { name, cwd, .. } = &self.described.tool;
        let tool = module.options().engine.actions()?.built_in(name, cwd.as_deref())?;
        let schema = self.schema.get_or_init(|| ArgumentSchema::compile(&tool.spec().parameters).ok());
        schema.as_ref()?.accepts(arguments).then_some(tool)
    }

    /// Returns the built-in tool if it does the work, not operations of the extension's own.
    pub(crate) fn working_tool(&self, module: &ModuleHost, arguments: &Value) -> Option<Arc<dyn Tool>> {
        self.tool(module, arguments).filter(|_| !self.described.is_replaced)
    }

    /// Begins a call of the wrapper. What was approved can be used until the guard is dropped.
    pub(crate) fn begin(&self, module: &ModuleHost, wrapper: &str, arguments: &Value) -> OpenCall {
        let approved = self.tool(module, arguments).map(|_| arguments.clone());
        OpenCall(WrappedCall::new(wrapper, self.described.tool.clone(), approved))
    }
}

/// A call of a wrapper that has not ended.
pub(crate) struct OpenCall(WrappedCall);

impl OpenCall {
    pub(crate) fn call(&self) -> WrappedCall {
        self.0.clone()
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.0.take();
    }
}
