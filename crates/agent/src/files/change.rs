//! What becomes of a change a built-in tool computed: written, written so that it can be undone, or staged until somebody
//! says so.

use std::{io, path::Path, sync::Arc};

use toolsmith_host::changes::{ChangeNote, ChangeSet, ChangeStore, Wanted};
use toolsmith_tool::{
    Approval, PendingAction, PendingCallbacks, PendingHandle, Tier, ToolContext, ToolError, ToolResult,
    Writes, async_trait,
};

use super::{
    path::Workspace,
    save::{Stamp, check_unchanged, save},
};

/// How the built-in tools change files.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Saving {
    /// At once.
    #[default]
    Direct,
    /// At once, with what was there kept in the store.
    Undoable(Arc<ChangeStore>),
    /// Only when somebody decides to: they are staged as actions with an exact difference.
    Preview,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    Written,
    Staged,
}

impl Saved {
    /// What the model is told, given what it is told of a change that was made.
    pub(crate) fn text(self, done: String) -> String {
        match self {
            Self::Written => done,
            Self::Staged => {
                format!("Preview, nothing is written yet: {done}. Call resolve to apply or discard it.")
            }
        }
    }
}

/// The host writes the files of these actions.
struct NothingElse;

#[async_trait]
impl PendingCallbacks for NothingElse {
    async fn apply(&self, _reason: &str, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Err(ToolError::reply("The files of this action are written by the host."))
    }
}

impl Workspace {
    /// What a call that changes `written` asks for. A preview only looks; applying it is what asks.
    pub(crate) fn change_approval(&self, written: &str) -> Approval {
        match self.saving {
            Saving::Preview => Tier::Read.into(),
            Saving::Direct | Saving::Undoable(_) => self.write_approval(written),
        }
    }

    /// Puts `bytes` in place of what is at `path`, by `tool`, in the way this workspace does that. With a stamp, a file
    /// that changed since is left alone.
    pub(crate) fn change(
        &self,
        tool: &str,
        path: &Path,
        bytes: &[u8],
        since: Option<Stamp>,
        pending: &PendingHandle,
    ) -> Result<Saved, ToolError> {
        let failed = |error: io::Error| self.failed("write", path, &error);
        let label = format!("{tool}: {}", self.show(path));
        match &self.saving {
            Saving::Direct => save(path, bytes, since).map_err(failed)?,
            Saving::Undoable(store) => {
                let before = store.snapshot(&[path.to_path_buf()]);
                save(path, bytes, since).map_err(failed)?;
                // The change is made. That it cannot be undone is no reason to say that it was not.
                let note = ChangeNote::new(tool, label, self.cwd());
                if let Err(error) = before.and_then(|before| store.record(before, &note)) {
                    tracing::warn!(%error, path = %path.display(), "A change cannot be undone later");
                }
            }
            Saving::Preview => {
                if since.is_some() {
                    check_unchanged(path, since).map_err(failed)?;
                }
                let set = ChangeSet::bind(self.cwd(), vec![Wanted::write(path, bytes)])
                    .map_err(|error| ToolError::reply(error.to_string()))?;
                if set.is_empty() {
                    return Ok(Saved::Written);
                }
                if let Some(label) = pending.staged_for(set.files()) {
                    return Err(ToolError::reply(format!(
                        "A change of {} is staged already ({label}). Call resolve to apply or discard that first.",
                        self.show(path)
                    )));
                }
                let tier = self.write_approval(&path.display().to_string()).tier;
                let action = PendingAction::new(label, Arc::new(NothingElse))
                    .source(tool)
                    .tier(tier)
                    .files(set.into_files(), Writes::Host);
                pending.push(action).map_err(|error| ToolError::reply(error.to_string()))?;
                return Ok(Saved::Staged);
            }
        }
        Ok(Saved::Written)
    }
}
