//! A session handle that does not keep the session alive, for what the session itself holds.

use std::{
    path::PathBuf,
    sync::{Arc, Weak},
};

use toolsmith_agent::{
    Resolver, WeakAgent,
    session::{CurrentSession, Sessions},
};
use toolsmith_builtins::Todos;
use toolsmith_js::WeakEngine;
use toolsmith_middleware::Telemetry;
use toolsmith_tool::UiSlot;

use super::{
    super::{
        hooks::SessionHooks, library::Library, models::Models, recovery::Recovery, reload::WeakReload,
        session::Session,
    },
    SessionExtensions,
};
use crate::{home::Home, mcp::McpTools};

/// A session handle that does not keep the session alive.
#[derive(Clone, Debug)]
pub struct WeakSession {
    agent: WeakAgent,
    engine: WeakEngine,
    reload: WeakReload,
    ui: UiSlot,
    resolver: Resolver,
    current: CurrentSession,
    sessions: Sessions,
    models: Models,
    cwd: PathBuf,
    home: Home,
    library: Library,
    recovery: Recovery,
    todos: Todos,
    mcp: Option<McpTools>,
    hooks: SessionHooks,
    telemetry: Option<Telemetry>,
    extensions: Weak<super::Inner>,
    modules: toolsmith_middleware::WeakExtensions,
}

impl WeakSession {
    /// Returns the session, if it is still there.
    pub fn upgrade(&self) -> Option<Session> {
        Some(Session {
            agent: self.agent.upgrade()?,
            engine: self.engine.upgrade()?,
            reload: self.reload.upgrade()?,
            ui: self.ui.clone(),
            resolver: self.resolver.clone(),
            current: self.current.clone(),
            sessions: self.sessions.clone(),
            models: self.models.clone(),
            cwd: self.cwd.clone(),
            home: self.home.clone(),
            library: self.library.clone(),
            recovery: self.recovery.clone(),
            todos: self.todos.clone(),
            mcp: self.mcp.clone(),
            hooks: self.hooks.clone(),
            telemetry: self.telemetry.clone(),
            extensions: SessionExtensions {
                modules: self.modules.upgrade()?,
                inner: self.extensions.upgrade()?,
            },
        })
    }
}

impl Session {
    /// Returns a handle that does not keep the session alive.
    pub fn downgrade(&self) -> WeakSession {
        WeakSession {
            agent: self.agent.downgrade(),
            engine: self.engine.downgrade(),
            reload: self.reload.downgrade(),
            ui: self.ui.clone(),
            resolver: self.resolver.clone(),
            current: self.current.clone(),
            sessions: self.sessions.clone(),
            models: self.models.clone(),
            cwd: self.cwd.clone(),
            home: self.home.clone(),
            library: self.library.clone(),
            recovery: self.recovery.clone(),
            todos: self.todos.clone(),
            mcp: self.mcp.clone(),
            hooks: self.hooks.clone(),
            telemetry: self.telemetry.clone(),
            extensions: Arc::downgrade(&self.extensions.inner),
            modules: self.extensions.modules.downgrade(),
        }
    }
}
