//! The built-in tools, and the store for their file changes.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use toolsmith_agent::RESOLVE;
#[cfg(feature = "ast")]
use toolsmith_builtins::{AstEditTool, AstGrepTool};
use toolsmith_builtins::{ReadNames, Saving, TODO_WRITE, TodoTool, Todos, built_in_tools_with_rules};
use toolsmith_host::{
    changes::{ChangeError, ChangeStore},
    location::{Protected, WriteRules},
};
use toolsmith_tool::Tool;

use crate::{
    configured_programs::follow_programs, discovery::Discovered, home::Home, loading::LoadedTools,
    settings::Settings,
};

/// Names of the built-in tools of this build.
#[cfg(not(feature = "ast"))]
pub const BUILT_IN_NAMES: [&str; 9] =
    ["read", "write", "edit", "bash", "grep", "find", "ls", TODO_WRITE, RESOLVE];
/// Names of the built-in tools of this build.
#[cfg(feature = "ast")]
pub const BUILT_IN_NAMES: [&str; 11] =
    ["read", "write", "edit", "bash", "grep", "find", "ls", "ast_grep", "ast_edit", TODO_WRITE, RESOLVE];

/// Returns the names of the built-in tools that the settings leave on. A custom tool may take the name of another one.
pub fn built_in_names(settings: &Settings) -> Vec<&'static str> {
    let is_off = |name: &str| {
        (name == TODO_WRITE && !settings.todo.enabled)
            || settings.tools.disabled.iter().any(|off| off == name)
    };
    BUILT_IN_NAMES.into_iter().filter(|name| !is_off(name)).collect()
}

/// Where changes of files are kept, so that they can be undone: in the user's folder. Where that cannot be written, they
/// are kept in a private temporary folder until the process ends.
///
/// # Errors
/// When neither can be written.
pub fn change_store(home: &Home) -> Result<Arc<ChangeStore>, ChangeError> {
    let store = ChangeStore::open(home.toolsmith().join("changes")).or_else(|error| {
        tracing::warn!(%error, "Changes of files can be undone only until the program ends");
        ChangeStore::temporary().or(Err(error))
    })?;
    Ok(Arc::new(store))
}

/// The tiers of writes in `cwd` by where they land (CONTRACT 5.7). `protected` has the files that tools are loaded from; those of
/// programs that the configuration names are added to it before each decision.
pub fn write_rules(
    cwd: &Path,
    home: &Home,
    store: &ChangeStore,
    protected: Arc<Protected>,
) -> Arc<WriteRules> {
    follow_programs(&protected, cwd, home);
    let rules = WriteRules::new(cwd)
        .user_home(home.user())
        .own_home(home.toolsmith())
        .state(store.folder())
        .protected(protected);
    Arc::new(rules)
}

/// Protects what tools may be loaded from: modules that were found, and everything somebody named.
pub(crate) fn protect_found(protected: &Protected, discovered: &Discovered) {
    discovered.configured.iter().for_each(|path| protected.add(path));
    for module in &discovered.modules {
        protected.add_module_at(&module.path, &module.real_path);
    }
}

/// Protects what tools were loaded from, besides the modules that [`protect_found`] protects, and what decides what their
/// imports refer to.
pub(crate) fn protect_loaded(protected: &Protected, loaded: &LoadedTools) {
    let found: HashSet<&Path> =
        loaded.discovered.modules.iter().map(|module| module.real_path.as_path()).collect();
    let others = loaded.files.iter().filter(|file| !found.contains(file.as_path()));
    others.for_each(|file| protected.add_module(file));
    // Most tools look at the same places.
    let candidates: BTreeSet<&Path> = loaded.candidates.iter().map(PathBuf::as_path).collect();
    protected.add_candidates(candidates);
}

/// The built-in tools for work in `cwd`. What they change of files can be undone from `store`; with `preview`, `edit` and
/// `write` stage their changes in place of making them.
pub fn built_in_tools(
    cwd: &Path,
    home: &Home,
    store: &Arc<ChangeStore>,
    preview: bool,
) -> Vec<Arc<dyn Tool>> {
    let rules = write_rules(cwd, home, store, Arc::default());
    built_in_tools_with(cwd, home, store, preview, Todos::default(), &rules, None)
}

/// Returns the [`built_in_tools`] with a shared todo list, and names that `read` understands.
pub(crate) fn built_in_tools_with(
    cwd: &Path,
    home: &Home,
    store: &Arc<ChangeStore>,
    preview: bool,
    todos: Todos,
    rules: &Arc<WriteRules>,
    names: Option<Arc<dyn ReadNames>>,
) -> Vec<Arc<dyn Tool>> {
    let saving = if preview { Saving::Preview } else { Saving::Undoable(Arc::clone(store)) };
    let mut tools =
        built_in_tools_with_rules(cwd, Some(home.user().to_path_buf()), saving, Arc::clone(rules), names);
    #[cfg(feature = "ast")]
    tools.extend([
        Arc::new(AstGrepTool::new(cwd)) as Arc<dyn Tool>,
        Arc::new(AstEditTool::new(cwd, Arc::clone(store)).rules(Arc::clone(rules))),
    ]);
    tools.push(Arc::new(TodoTool::new(todos)));
    tools
}

#[cfg(test)]
#[path = "built_in_tests.rs"]
mod tests;
