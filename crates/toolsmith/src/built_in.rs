//! The built-in tools, and the store for their file changes.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use toolsmith_agent::{
    AstEditTool, AstGrepTool, RESOLVE, Saving, TODO_WRITE, TodoTool, Todos, built_in_tools_saving,
};
use toolsmith_host::changes::{ChangeError, ChangeStore};
use toolsmith_tool::Tool;

use crate::home::Home;

/// Names of the built-in tools.
pub const BUILT_IN_NAMES: [&str; 11] =
    ["read", "write", "edit", "bash", "grep", "find", "ls", "ast_grep", "ast_edit", TODO_WRITE, RESOLVE];

/// Where changes of files are kept, so that they can be undone: in the user's folder, or in one of their own in the
/// system's temporary folder where that cannot be written.
///
/// # Errors
/// When neither can be written.
pub fn change_store(home: &Home) -> Result<Arc<ChangeStore>, ChangeError> {
    let own = ChangeStore::open(home.toolsmith().join("changes"));
    let store = own.or_else(|error| {
        tracing::warn!(%error, "File changes are stored in the temporary directory");
        private_folder_in(&std::env::temp_dir()).map_or(Err(error), ChangeStore::open)
    })?;
    Ok(Arc::new(store))
}

/// The user's folder for changes where everybody may write. What is in it is believed when changes are taken back, so a
/// folder that somebody else made, or may write to, is refused.
fn private_folder_in(temporary: &Path) -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let folder = temporary.join(format!("toolsmith-changes-{user}"));
    match fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(&folder)?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        Ok(folder)
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "the folder is not the user's own"))
    }
}

/// Returns the built-in tools for `cwd`. Their file changes can be undone from `store`; with `preview`, `edit` and
/// `write` stage their changes.
pub fn built_in_tools(
    cwd: &Path,
    home: &Home,
    store: &Arc<ChangeStore>,
    preview: bool,
) -> Vec<Arc<dyn Tool>> {
    built_in_tools_with(cwd, home, store, preview, Todos::default())
}

/// Returns the [`built_in_tools`] with a shared todo list.
pub(crate) fn built_in_tools_with(
    cwd: &Path,
    home: &Home,
    store: &Arc<ChangeStore>,
    preview: bool,
    todos: Todos,
) -> Vec<Arc<dyn Tool>> {
    let saving = if preview { Saving::Preview } else { Saving::Undoable(Arc::clone(store)) };
    let mut tools = built_in_tools_saving(cwd, Some(home.user().to_path_buf()), saving);
    tools.push(Arc::new(AstGrepTool::new(cwd)));
    tools.push(Arc::new(AstEditTool::new(cwd, Arc::clone(store))));
    tools.push(Arc::new(TodoTool::new(todos)));
    tools
}

#[cfg(test)]
#[path = "built_in_tests.rs"]
mod tests;
