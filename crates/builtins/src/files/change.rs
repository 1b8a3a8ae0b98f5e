//! What becomes of a change a built-in tool computed: written, written so that it can be undone, or staged until somebody
//! says so. And the difference that people are shown.

use std::{io, path::Path, sync::Arc, time::Duration};

use serde::Serialize;
use similar::{ChangeTag, TextDiff};
use toolsmith_host::{
    changes::{ChangeNote, ChangeSet, ChangeStore, Wanted},
    location::{Location, Stamp, Verdict},
};
use toolsmith_tool::{
    Approval, FileTiers as _, PendingAction, PendingCallbacks, Tier, ToolContext, ToolError, ToolResult,
    Writes, async_trait,
};

use super::{path::Workspace, target::Target};

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

/// Outcome of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    Written,
    Staged,
}

impl Saved {
    /// Returns the message for the model, given the message for a written change.
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
    /// Returns the approval for a call of `tool` that changes `written`. A preview only reads; applying it requires
    /// approval.
    pub(crate) fn change_approval(&self, tool: &str, written: &str) -> Approval {
        match self.saving {
            Saving::Preview => Tier::Read.into(),
            Saving::Direct | Saving::Undoable(_) => self.write_approval(tool, written),
        }
    }

    /// The tier of the place the path leads to, bound to that place (CONTRACT 5.7, 5.8). A path that leads nowhere, and a
    /// file that tools may not write, is left to the call, which fails with the reason.
    fn write_approval(&self, tool: &str, written: &str) -> Approval {
        let Ok((path, place)) = self.locate(written) else { return Tier::Write.into() };
        let real = place.real_path();
        let mut approval = match self.rules.judge(&path, real) {
            Verdict::Exec { reason } => Approval {
                tier: Tier::Exec,
                reason: Some(reason),
                // An answer that is remembered is about this file, not about every file elsewhere.
                policy_key: Some(format!("{tool}:{}", real.display())),
                ..Approval::default()
            },
            _ => Tier::Write.into(),
        };
        approval.subject = Some(subject(place.real_path()));
        approval
    }

    fn locate(&self, written: &str) -> Result<(std::path::PathBuf, Location), ToolError> {
        let path = self.resolve(written)?;
        let place = Location::resolve(&path).map_err(|error| self.failed("write", &path, &error))?;
        Ok((path, place))
    }

    /// The lines about the file that a person is shown before it is changed.
    pub(crate) fn file_lines(&self, written: &str) -> Vec<String> {
        let mut lines = vec![format!("File: {written}")];
        if let Ok((path, place)) = self.locate(written)
            && place.real_path() != path
        {
            lines.push(format!("Leads to: {}", place.real_path().display()));
        }
        lines
    }

    /// Refuses a write to another place, or of a higher tier, than what was approved.
    fn check_approved(
        &self,
        path: &Path,
        place: &Location,
        approved: Option<&Approval>,
    ) -> Result<(), ToolError> {
        let tier = match self.rules.judge(path, place.real_path()) {
            Verdict::Refused { reason } => return Err(ToolError::reply(reason)),
            Verdict::Write => Tier::Write,
            _ => Tier::Exec,
        };
        let Some(approved) = approved else { return Ok(()) };
        let is_same = approved.subject.as_ref() == Some(&subject(place.real_path()));
        if is_same && tier <= approved.tier {
            return Ok(());
        }
        Err(ToolError::reply(format!(
            "Nothing was written: {} now leads elsewhere than when the call was approved. Try again.",
            self.show(path)
        )))
    }

    /// Puts `bytes` in place of what is at `target`, by `tool`, in the way this workspace does that. With a stamp, a file
    /// that changed since is left alone. The path is resolved once more; what is checked is what is written.
    pub(crate) fn change(
        &self,
        tool: &str,
        target: &Target,
        bytes: &[u8],
        since: Option<Stamp>,
        context: &ToolContext,
    ) -> Result<Saved, ToolError> {
        let path = target.path.as_path();
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::IsADirectory => self.failed("write", path, &io::Error::other("it is a folder")),
            _ => self.failed("write", path, &error),
        };
        let mut place = Location::resolve(path).map_err(failed)?;
        if place.real_path() != target.real {
            return Err(self.moved(path));
        }
        // A preview writes nothing; applying it is approved by itself.
        let approved = context.approved.as_ref().filter(|_| !matches!(self.saving, Saving::Preview));
        self.check_approved(path, &place, approved)?;
        let label = format!("{tool}: {}", self.show(path));
        if !matches!(self.saving, Saving::Preview) {
            context.meter.add_written(bytes.len());
        }
        match &self.saving {
            Saving::Direct => place.save(bytes, since, None).map_err(failed)?,
            Saving::Undoable(store) => {
                let before = store.snapshot_of(path, &place);
                // Without them a kill in the last moment can leave a temporary file.
                let _ = store.make_folders();
                place.save(bytes, since, Some(&store.temporaries())).map_err(failed)?;
                // The change is made. That it cannot be undone is no reason to say that it was not.
                let note = ChangeNote::new(tool, label, self.cwd());
                if let Err(error) = before.and_then(|before| store.record(before, &note)) {
                    tracing::warn!(%error, path = %path.display(), "A change cannot be undone later");
                }
            }
            Saving::Preview => {
                place.check_unchanged(since).map_err(failed)?;
                let set = ChangeSet::bind(self.cwd(), vec![Wanted::write(path, bytes)])
                    .map_err(|error| ToolError::reply(error.to_string()))?;
                if set.is_empty() {
                    return Ok(Saved::Written);
                }
                if let Some(label) = context.pending.staged_for(set.files()) {
                    return Err(ToolError::reply(format!(
                        "A change of {} is staged already ({label}). Call resolve to apply or discard that first.",
                        self.show(path)
                    )));
                }
                let tier = self.rules.tier_of(set.files()).map_err(ToolError::reply)?;
                let action = PendingAction::new(label, Arc::new(NothingElse))
                    .source(tool)
                    .tier(tier)
                    .files(set.into_files(), Writes::Host);
                context.pending.push(action).map_err(|error| ToolError::reply(error.to_string()))?;
                return Ok(Saved::Staged);
            }
        }
        Ok(Saved::Written)
    }
}

/// The place as approval is bound to it: unlike text, this tells apart names that are not UTF-8.
fn subject(real: &Path) -> String {
    format!("{real:?}")
}

/// Finding the smallest difference of large files takes for ever; a larger one will do after this.
const TIMEOUT: Duration = Duration::from_millis(300);
const CONTEXT: usize = 3;
/// A diff for the result.
const MAX_BYTES: usize = 100_000;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diff {
    /// In unified form.
    pub(crate) diff: String,
    pub(crate) first_changed_line: usize,
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

pub(crate) fn diff(name: &str, old: &str, new: &str) -> Diff {
    let diff = TextDiff::configure().timeout(TIMEOUT).diff_lines(old, new);
    let (mut added, mut removed, mut first) = (0, 0, None);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Insert => added += 1,
            ChangeTag::Delete => removed += 1,
        }
        first = first.or_else(|| change.new_index().or(change.old_index()));
    }
    let mut text = diff
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string();
    if text.len() > MAX_BYTES {
        text.truncate(text.floor_char_boundary(MAX_BYTES));
        text.push_str("\n[cut]\n");
    }
    Diff { diff: text, first_changed_line: first.unwrap_or(0) + 1, added, removed }
}
