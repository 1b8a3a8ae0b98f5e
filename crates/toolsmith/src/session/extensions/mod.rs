//! The extensions of a session: their state, their actions, commands, and the events of session operations.

mod actions;
mod built_ins;
mod commands;
mod lifecycle;
mod models;
mod nested_calls;
mod provider;
mod registered_provider;
mod user_bash;
mod weak;

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use serde_json::Value;
use toolsmith_middleware::Extensions;
use toolsmith_tool::CancelToken;

pub(crate) use actions::HostActions;
pub(crate) use built_ins::BuiltInCalls;
pub use commands::{
    Command, CommandError, CommandInfo, CommandOutcome, RESERVED_COMMANDS, RESERVED_KEYS, ShortcutInfo,
};
pub(crate) use lifecycle::SwitchKind;
pub(crate) use models::ExtensionModels;
pub use user_bash::{USER_BASH, UserBashResult};
pub use weak::WeakSession;

use crate::discovery::FoundModule;

/// The mode of the session, as extensions see it (`ctx.mode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionMode {
    /// The terminal interface.
    Tui,
    /// Another program, over RPC.
    Rpc,
    /// One prompt, with events as JSON.
    Json,
    /// One prompt.
    #[default]
    Print,
}

impl SessionMode {
    /// Returns the name extensions see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tui => "tui",
            Self::Rpc => "rpc",
            Self::Json => "json",
            Self::Print => "print",
        }
    }
}

/// The extensions of a session. Clones are the same.
#[derive(Clone)]
pub(crate) struct SessionExtensions {
    pub(crate) modules: Extensions,
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) mode: SessionMode,
    /// Tells whether the project is trusted now.
    pub(crate) is_trusted: Box<dyn Fn() -> bool + Send + Sync>,
    /// Values of flags given on the command line.
    pub(crate) flags: RwLock<BTreeMap<String, Value>>,
    /// Modules, for a reload.
    pub(crate) found: Vec<FoundModule>,
    /// Commands of other sources.
    pub(crate) commands: Mutex<Vec<Arc<dyn Command>>>,
    /// Triggered when an extension ends the session.
    pub(crate) shutdown: CancelToken,
    pub(crate) built_ins: BuiltInCalls,
    /// Paths of skills, prompts and themes that extensions named.
    pub(crate) resources: Mutex<ExtensionResources>,
}

/// Paths that extensions named in answer to `resources_discover`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtensionResources {
    /// Directories or files with skills.
    pub skills: Vec<PathBuf>,
    /// Directories or files with prompt templates.
    pub prompts: Vec<PathBuf>,
    /// Directories or files with themes.
    pub themes: Vec<PathBuf>,
}

impl SessionExtensions {
    pub(crate) fn flags(&self) -> BTreeMap<String, Value> {
        self.inner.flags.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for SessionExtensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionExtensions").field("modules", &self.modules).finish_non_exhaustive()
    }
}
