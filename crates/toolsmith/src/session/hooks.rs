//! Hooks of a session: its start and end, and the user's decisions about hooks of the project.

use std::sync::Arc;

use toolsmith_host::{confirmed::ConfirmedError, location::Protected};
use toolsmith_middleware::hooks::{Hooks, SessionEndReason, SessionStartSource};

use super::{extensions::SwitchKind, session::Session};
use crate::hooks::{FoundHook, FoundHooks, HookOptions, discover_hooks};

/// The hooks of a session, and where they come from.
#[derive(Clone, Debug)]
pub(super) struct SessionHooks {
    pub(super) hooks: Hooks,
    pub(super) options: Arc<HookOptions>,
    pub(super) protected: Arc<Protected>,
}

impl SessionHooks {
    /// Returns whether the project was trusted when the session was started.
    fn was_trusted(&self) -> bool {
        self.options.trust.allows(&self.options.cwd)
    }
}

impl Session {
    /// Returns the hooks that can be found now. Reads the disk.
    pub fn find_hooks(&self) -> FoundHooks {
        let options = self.hooks.options.as_ref().clone();
        let trust = options.trust.renewed();
        discover_hooks(&options.trust(trust))
    }

    /// Confirms or declines hooks of the project as they were shown, and uses the confirmed ones from now on. Reads and writes the
    /// disk.
    ///
    /// # Errors
    /// Fails if the decision cannot be stored.
    pub fn decide_hooks(
        &self,
        shown: &FoundHooks,
        chosen: &[&FoundHook],
        confirm: bool,
    ) -> Result<FoundHooks, ConfirmedError> {
        shown.decide(&self.hooks.options.home, chosen, confirm)?;
        let found = self.find_hooks();
        found.protect(&self.hooks.protected);
        // Guards of a project that lost its trust stay, and block what they guarded.
        if self.hooks.options.trust.allows_now(&self.hooks.options.cwd) || !self.hooks.was_trusted() {
            self.hooks.hooks.replace(found.active());
        }
        Ok(found)
    }

    pub(super) fn connect_hooks(&self) {
        let weak = self.agent.downgrade();
        self.hooks.hooks.set_notify(move |message| {
            if let Some(agent) = weak.upgrade() {
                agent.notice(message);
            }
        });
    }

    pub(super) async fn start_hooks(&self, was_stored: bool) {
        let source = if was_stored { SessionStartSource::Resume } else { SessionStartSource::Startup };
        self.hooks.hooks.session_started(source, self.agent.tool_context()).await;
    }

    /// Ends one session for its hooks; the next one is started with [`Session::switched_hooks`].
    pub(super) async fn leave_hooks(&self, kind: SwitchKind) {
        let reason = match kind {
            SwitchKind::New => SessionEndReason::Clear,
            _ => SessionEndReason::Resume,
        };
        self.hooks.hooks.session_ended(reason, &self.agent.tool_context()).await;
    }

    pub(super) async fn switched_hooks(&self, kind: SwitchKind) {
        let source = match kind {
            SwitchKind::New => SessionStartSource::Clear,
            SwitchKind::Resume => SessionStartSource::Resume,
            SwitchKind::Fork => SessionStartSource::Fork,
        };
        self.hooks.hooks.session_started(source, self.agent.tool_context()).await;
    }

    pub(super) async fn end_hooks(&self) {
        self.hooks.hooks.session_ended(SessionEndReason::Exit, &self.agent.tool_context()).await;
    }
}
