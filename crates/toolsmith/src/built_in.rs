//! The tools that are part of the program, and where what they change is kept.

use std::{path::Path, sync::Arc};

use toolsmith_agent::{AstEditTool, AstGrepTool, RESOLVE, Saving, built_in_tools_saving};
use toolsmith_host::changes::{ChangeError, ChangeStore};
use toolsmith_tool::Tool;

use crate::home::Home;

/// Names that belong to the program's own tools.
pub const BUILT_IN_NAMES: [&str; 10] =
    ["read", "write", "edit", "bash", "grep", "find", "ls", "ast_grep", "ast_edit", RESOLVE];

/// Where changes of files are kept, so that they can be undone: in the user's folder, or in the system's temporary one
/// where that cannot be written.
///
/// # Errors
/// When neither can be written.
pub fn change_store(home: &Home) -> Result<Arc<ChangeStore>, ChangeError> {
    let own = ChangeStore::open(home.toolsmith().join("changes"));
    let store = own.or_else(|error| {
        tracing::warn!(%error, "Changes of files are kept in the temporary folder");
        ChangeStore::open(std::env::temp_dir().join("toolsmith-changes"))
    })?;
    Ok(Arc::new(store))
}

/// The built-in tools for work in `cwd`. What they change of files can be undone from `store`.
pub fn built_in_tools(cwd: &Path, home: &Home, store: &Arc<ChangeStore>) -> Vec<Arc<dyn Tool>> {
    let saving = Saving::Undoable(Arc::clone(store));
    let mut tools = built_in_tools_saving(cwd, Some(home.user().to_path_buf()), saving);
    tools.push(Arc::new(AstGrepTool::new(cwd)));
    tools.push(Arc::new(AstEditTool::new(cwd, Arc::clone(store))));
    tools
}

#[cfg(test)]
#[path = "built_in_tests.rs"]
mod tests;
