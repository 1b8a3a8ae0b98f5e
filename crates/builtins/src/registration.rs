//! The built-in tools of a working directory as a list, and what they have in common: reading arguments, and meters.

use std::{path::PathBuf, sync::Arc};

use serde::de::DeserializeOwned;
use serde_json::Value;
use toolsmith_host::{blocking::blocking, cpu_clock::CpuTimer, location::WriteRules};
use toolsmith_tool::{CancelToken, Figure, Meter, Origin, RegisterError, Registry, Tool, ToolError};

use crate::{
    bash::Bash,
    edit::Edit,
    files::{Saving, Workspace},
    find::Find,
    grep::Grep,
    ls::Ls,
    read::{Read, ReadNames},
    write::Write,
};

/// The built-in tools for work in `cwd`: `read`, `write`, `edit`, `bash`, `grep`, `find`, `ls`. `~` stands for `home`.
pub fn built_in_tools(cwd: impl Into<PathBuf>, home: Option<PathBuf>) -> Vec<Arc<dyn Tool>> {
    built_in_tools_saving(cwd, home, Saving::Direct)
}

/// [`built_in_tools`] whose changes of files can be undone, or are staged first.
pub fn built_in_tools_saving(
    cwd: impl Into<PathBuf>,
    home: Option<PathBuf>,
    saving: Saving,
) -> Vec<Arc<dyn Tool>> {
    tools_of(Workspace::new(cwd.into(), home).saving(saving), None)
}

/// [`built_in_tools_saving`] whose writes have the tiers that `rules` give their places. `names` are names other than paths
/// that `read` understands.
pub fn built_in_tools_with_rules(
    cwd: impl Into<PathBuf>,
    home: Option<PathBuf>,
    saving: Saving,
    rules: Arc<WriteRules>,
    names: Option<Arc<dyn ReadNames>>,
) -> Vec<Arc<dyn Tool>> {
    tools_of(Workspace::new(cwd.into(), home).saving(saving).rules(rules), names)
}

fn tools_of(workspace: Workspace, names: Option<Arc<dyn ReadNames>>) -> Vec<Arc<dyn Tool>> {
    let workspace = Arc::new(workspace);
    vec![
        Arc::new(Read::new(Arc::clone(&workspace), names)),
        Arc::new(Write::new(Arc::clone(&workspace))),
        Arc::new(Edit::new(Arc::clone(&workspace))),
        Arc::new(Bash::new(Arc::clone(&workspace))),
        Arc::new(Grep::new(Arc::clone(&workspace))),
        Arc::new(Find::new(Arc::clone(&workspace))),
        Arc::new(Ls::new(workspace)),
    ]
}

/// Registers [`built_in_tools`].
///
/// # Errors
/// When one of the names is taken.
pub fn register_built_in_tools(
    registry: &mut Registry,
    cwd: impl Into<PathBuf>,
    home: Option<PathBuf>,
) -> Result<(), RegisterError> {
    built_in_tools(cwd, home).into_iter().try_for_each(|tool| registry.register(tool, Origin::built_in()))
}

/// The arguments as the tool's own type. They are valid for its schema already.
pub(crate) fn arguments<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolError> {
    serde_json::from_value(arguments)
        .map_err(|error| ToolError::reply(format!("Unusable arguments: {error}")))
}

/// The field that names a file, for decisions before the call.
pub(crate) fn path_argument(arguments: &Value) -> &str {
    arguments.get("path").and_then(Value::as_str).unwrap_or_default()
}

/// Figures that are known of a built-in tool that works in this process. Its memory is not told from the program's.
const KNOWN: [Figure; 5] = [Figure::Cpu, Figure::Read, Figure::Written, Figure::Requests, Figure::Processes];

/// Runs `work` on a blocking thread and counts its CPU time. Threads that it starts count their own.
pub(crate) async fn metered<T: Send + 'static>(
    cancel: &CancelToken,
    meter: &Meter,
    work: impl FnOnce(&CancelToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    meter.knows(&KNOWN);
    let meter = meter.clone();
    blocking(cancel, move |cancel| {
        let _timer = CpuTimer::start(&meter);
        work(cancel)
    })
    .await
}
