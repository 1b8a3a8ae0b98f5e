//! Applying and discarding. An action is taken off the stack before anything is done, so it is used once, whatever happens
//! then (CONTRACT 8.5).

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use toolsmith_host::{
    blocking::blocking,
    changes::{
        ChangeNote, ChangeSet, ChangeStore, FilePreview, PastChange, Recording, apply_change_set,
        as_tool_error as reply,
    },
};
use toolsmith_tool::{
    Approval, CancelToken, FileSelection, FileWatch, PendingAction, PendingStack, Tier, ToolContext,
    ToolError, ToolResult, Writes,
};

use super::{
    NOTHING_PENDING,
    decision_notes::{self, DecisionNotes},
    outcome::Decided,
    pending_view::PendingView,
    resolve_tool::RESOLVE,
    review::{Proposal, Review, Reviewer},
};
use crate::dispatch::{Deadlines, Gate, run_to_end};

/// How long everything that is dropped may take together to clear up after itself.
const DROPPING: Duration = Duration::from_secs(5);

/// Which action is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PendingChoice {
    /// The newest.
    #[default]
    Top,
    /// The one of this number.
    Id(u64),
}

/// Decides about staged actions. Clones are the same.
#[derive(Clone)]
pub struct Resolver {
    stack: Arc<PendingStack>,
    store: Arc<ChangeStore>,
    root: PathBuf,
    deadlines: Deadlines,
    notes: Arc<DecisionNotes>,
    review: Arc<Review>,
    gate: Option<Arc<dyn Gate>>,
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver")
            .field("stack", &self.stack)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl Resolver {
    /// Decides about the actions of `stack`; files are written through `store`, as changes in the project `root`.
    pub fn new(stack: Arc<PendingStack>, store: Arc<ChangeStore>, root: impl Into<PathBuf>) -> Self {
        Self {
            stack,
            store,
            root: root.into(),
            deadlines: Deadlines::default(),
            notes: Arc::default(),
            review: Arc::default(),
            gate: None,
        }
    }

    /// Lets a gate look at what is applied, whoever applies it: every file as a call of `write`, and a person's decision as a
    /// call of `resolve`.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = Some(gate);
        self
    }

    pub(super) fn applying(&self) -> Option<&dyn Gate> {
        self.gate.as_deref().filter(|gate| gate.watches_calls())
    }

    pub(super) fn applied(&self) -> Option<&dyn Gate> {
        self.gate.as_deref().filter(|gate| gate.watches_results())
    }

    /// Lets the user decide about previews; the model can only propose a decision (CONTRACT 8.6).
    #[must_use]
    pub fn reviewer(mut self, reviewer: Arc<dyn Reviewer>) -> Self {
        self.review = Arc::new(Review::by(reviewer));
        self
    }

    pub(super) fn review(&self) -> &Review {
        &self.review
    }

    /// Returns whether the user decides about previews, and can be asked.
    pub(crate) fn user_decides(&self) -> bool {
        self.review.is_on()
    }

    /// Sets how long a person's decision may take to be carried out. The model's is a call like others.
    #[must_use]
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// The stack.
    pub fn stack(&self) -> &Arc<PendingStack> {
        &self.stack
    }

    /// Where changes of files are kept.
    pub fn store(&self) -> &Arc<ChangeStore> {
        &self.store
    }

    /// The project.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Everything that waits, the newest first.
    pub fn list(&self) -> Vec<PendingView> {
        self.stack.list().iter().map(PendingView::from).collect()
    }

    /// Tells the model with its next request of something a person did.
    pub fn tell(&self, what: impl Into<String>) {
        self.notes.add(what.into());
    }

    /// Takes the notes for the model's next request.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        self.notes.take()
    }

    /// The model is being shown what is on top.
    pub(crate) fn show_top(&self) -> Option<PendingAction> {
        self.notes.catch_up();
        self.stack.peek()
    }

    /// Returns whether `resolve` is offered with the next request.
    pub(super) fn offers_resolve(&self, has_pending: bool) -> bool {
        self.notes.offers_resolve(has_pending)
    }

    /// The model answered with these calls.
    pub(crate) fn note_answer(&self, calls: impl Iterator<Item = String>) {
        self.notes.answered(calls);
    }

    pub(super) fn find(&self, choice: PendingChoice) -> Option<PendingAction> {
        match choice {
            PendingChoice::Top => self.stack.peek(),
            PendingChoice::Id(id) => self.stack.list().into_iter().find(|action| action.id.number() == id),
        }
    }

    /// Returns the tier of applying an action now.
    pub(crate) async fn tier_to_apply(&self, action: &PendingAction) -> Tier {
        let (stack, action) = (Arc::clone(&self.stack), action.clone());
        let tier = blocking(&CancelToken::new(), move |_| Ok(stack.tier_to_apply(&action))).await;
        tier.unwrap_or(Tier::Exec)
    }

    /// Returns the approval that applying an action requires now.
    pub(super) async fn approval_to_apply(&self, action: &PendingAction) -> Approval {
        // The name the host knows, where it knows one: an action may call its source what it likes.
        let source =
            action.staged_by.as_ref().map_or(&action.source_tool_name, |staged_by| &staged_by.tool_name);
        let mut approval = Approval::from(self.tier_to_apply(action).await);
        approval.reason = Some(format!("{} (staged by {source})", action.label));
        // What the user wants to be asked about the tool holds for what it staged.
        approval.wraps = Some(source.clone());
        // An answer that is remembered is about that tool, not about everything that is ever staged.
        approval.policy_key = Some(format!("{RESOLVE}:{source}"));
        // Nor is it about other files than those that were asked about, where a write asks about each.
        if approval.tier == Tier::Exec && !action.files.is_empty() {
            let files: BTreeSet<String> =
                action.files.iter().map(|file| file.target.display().to_string()).collect();
            let files = files.into_iter().collect::<Vec<_>>().join("\n");
            approval.policy_key = Some(format!("{RESOLVE}:{source}:{files}"));
        }
        approval
    }

    /// The exact differences an action will make; empty when it does not name its files.
    ///
    /// # Errors
    /// When there is no such action, or a file changed since: then there is no exact difference any more.
    pub async fn view(&self, choice: PendingChoice) -> Result<Vec<FilePreview>, ToolError> {
        let action = self.find(choice).ok_or_else(|| ToolError::reply(NOTHING_PENDING))?;
        let set = ChangeSet::from_files(action.files);
        let root = self.root.clone();
        blocking(&CancelToken::new(), move |_| set.preview_in(&root).map_err(reply)).await
    }

    /// Applies an action for the user: all of it, or only the selected files and hunks. What is left out is dropped with
    /// it. The model is informed with its next request.
    ///
    /// # Errors
    /// Fails with the action's error. The action is consumed regardless.
    pub async fn apply(
        &self,
        choice: PendingChoice,
        files: Option<Vec<FileSelection>>,
        reason: &str,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        self.decide(choice, Decision::Apply(files), reason, context).await
    }

    /// Discards an action for a person. The model hears of it with its next request.
    ///
    /// # Errors
    /// What the action's `reject` said. It is used up all the same.
    pub async fn discard(
        &self,
        choice: PendingChoice,
        reason: &str,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        self.decide(choice, Decision::Discard, reason, context).await
    }

    /// Returns the file changes in this project, newest first, including undone ones.
    ///
    /// # Errors
    /// Fails if they cannot be read.
    pub async fn changes(&self) -> Result<Vec<PastChange>, ToolError> {
        let (store, root) = (Arc::clone(&self.store), self.root.clone());
        blocking(&CancelToken::new(), move |_| store.list(Some(&root)).map_err(reply)).await
    }

    /// Returns what undoing a change would do to its files now.
    ///
    /// # Errors
    /// Fails if the change is unknown or its old content is no longer stored.
    pub async fn view_undo(&self, id: &str) -> Result<Vec<FilePreview>, ToolError> {
        let (store, id) = (Arc::clone(&self.store), id.to_owned());
        blocking(&CancelToken::new(), move |_| store.undo_preview(&id).map_err(reply)).await
    }

    /// Undoes a change for a person: the one of this number, or the last one in this project. The model hears of it with
    /// its next request.
    ///
    /// # Errors
    /// When there is none, or somebody went on working with its files. Nothing was changed then.
    pub async fn undo(&self, id: Option<&str>) -> Result<PastChange, ToolError> {
        let (store, root, id) = (Arc::clone(&self.store), self.root.clone(), id.map(str::to_owned));
        let undone = blocking(&CancelToken::new(), move |cancel| {
            match &id {
                Some(id) => store.undo(id, cancel),
                None => store.undo_last(&root, cancel),
            }
            .map_err(reply)
        })
        .await?;
        self.notes.add(decision_notes::undo(&undone));
        Ok(undone)
    }

    /// Drops everything, the newest first, with `reject` called: when the session is switched or ends (CONTRACT 8.6). What
    /// fails is logged, and the model of the next session hears nothing: there is nobody left to tell.
    pub async fn drop_all(&self, reason: &str, context: ToolContext) {
        let end = Instant::now() + DROPPING;
        for listed in self.stack.list() {
            let Some(action) = self.stack.take(listed.id) else { continue };
            let label = action.label.clone();
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                tracing::warn!(label, "A staged action was dropped without a word: others took too long");
                continue;
            }
            let deadline = left.min(self.deadlines.call);
            if let Err(error) = self.run(action, Decision::Discard, reason, context.clone(), deadline).await {
                tracing::warn!(label, %error, "A staged action could not be discarded cleanly");
            }
        }
        // What a `reject` staged; it might do so for ever.
        while let Some(action) = self.stack.pop() {
            tracing::warn!(label = action.label, "An action was staged while others were dropped");
        }
        self.notes.forget();
        self.review.forget();
    }

    async fn decide(
        &self,
        choice: PendingChoice,
        decision: Decision,
        reason: &str,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        let found = self.find(choice).ok_or_else(|| ToolError::reply(NOTHING_PENDING))?;
        if matches!(decision, Decision::Apply(_)) {
            self.allow_decision(&found, reason, &context).await?;
        }
        // Before it is taken: from then on the model may not decide about what is on top now.
        self.notes.fall_behind();
        let action = self.stack.take(found.id).ok_or_else(|| ToolError::reply(NOTHING_PENDING))?;
        let (apply, files) = match &decision {
            Decision::Apply(files) => (true, files.clone()),
            Decision::Discard => (false, None),
        };
        let outcome = self.run(action, decision, reason, context, self.deadlines.call).await;
        self.notes.add(decision_notes::decision(&found, apply, files.as_deref(), reason, &outcome));
        outcome
    }

    /// Carries out what no model asked for: under a deadline, and ended by force if need be, as calls are.
    async fn run(
        &self,
        action: PendingAction,
        decision: Decision,
        reason: &str,
        context: ToolContext,
        deadline: Duration,
    ) -> Result<ToolResult, ToolError> {
        let (resolver, reason) = (self.clone(), reason.to_owned());
        let work = |context| async move {
            resolver.carry_out(&action, &decision, &reason, context, By::Person).await
        };
        run_to_end(work, context, deadline, &self.deadlines).await
    }

    /// The decision of a call of `resolve` about `action`, which was the newest when the call was bound. Refused when another
    /// action is the newest by now, or the model does not know this one.
    pub(crate) async fn decide_bound(
        &self,
        action: Option<&PendingAction>,
        call_id: &str,
        apply: bool,
        reason: &str,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        let Some(action) = action else {
            return Err(match self.stack.peek() {
                Some(top) => changed("nothing was staged when resolve was called", Some(&top)),
                None => ToolError::reply(NOTHING_PENDING),
            });
        };
        if let Some(why) = self.notes.refusal(call_id, action) {
            return Err(changed(why, self.stack.peek().as_ref()));
        }
        if self.user_decides() {
            self.review.propose(action.id, Proposal { apply, reason: reason.to_owned() });
            return Ok(ToolResult::text(format!(
                "The user decides about this preview and is asked now: {}. Nothing has been changed yet.",
                action.label
            )));
        }
        let action = self
            .stack
            .pop_if(action.id)
            .map_err(|top| changed("the newest staged action changed meanwhile", top.as_ref()))?;
        let decision = if apply { Decision::Apply(None) } else { Decision::Discard };
        self.carry_out(&action, &decision, reason, context, By::Model).await
    }

    async fn carry_out(
        &self,
        action: &PendingAction,
        decision: &Decision,
        reason: &str,
        context: ToolContext,
        by: By,
    ) -> Result<ToolResult, ToolError> {
        let mut context = context;
        if let Some(tier) = action.tier {
            // What it stages in its turn may change as much as the tool it came from, not as much as `resolve`.
            context.pending = context.pending.with_tier(tier);
        }
        if let Some(staged_by) = &action.staged_by {
            context.pending = context.pending.with_call(&staged_by.tool_name, &staged_by.call_id);
        }
        let decided = Decided { apply: matches!(decision, Decision::Apply(_)), reason, action };
        let void = action.callbacks.void();
        let own = match (decision, void) {
            (Decision::Discard, Some(_)) => Ok(None),
            (Decision::Discard, None) => action.callbacks.reject(reason, context).await,
            (Decision::Apply(_), Some(why))
                if action.writes == Writes::Callback || action.callbacks.is_revoked() =>
            {
                return Err(decided.refused(format!("Not applied: {}. {why}", action.label)));
            }
            (Decision::Apply(files), _) => {
                self.apply_action(action, files.as_deref(), reason, context, by).await.map(Some)
            }
        };
        own.map(|own| decided.result(own)).map_err(|error| decided.failure(error))
    }

    async fn apply_action(
        &self,
        action: &PendingAction,
        files: Option<&[FileSelection]>,
        reason: &str,
        context: ToolContext,
        by: By,
    ) -> Result<ToolResult, ToolError> {
        let set = ChangeSet::from_files(action.files.clone());
        let selected = match files {
            Some(files) if action.writes == Writes::Host => {
                set.select(&self.absolute(files)).map_err(reply)?
            }
            // A callback may understand a selection that is not one of its files.
            Some(files) => set.select(&self.absolute(files)).unwrap_or_else(|_| set.clone()),
            None => set.clone(),
        };
        let written = self.allow_files(action, selected.files(), &context, by).await?;
        let outcome = self.write_action(action, set, selected, files, reason, context.clone()).await?;
        Ok(self.report_files(action, written, outcome, &context).await)
    }

    async fn write_action(
        &self,
        action: &PendingAction,
        set: ChangeSet,
        selected: ChangeSet,
        files: Option<&[FileSelection]>,
        reason: &str,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        if action.writes == Writes::Host {
            let note = ChangeNote::new(&action.source_tool_name, &action.label, &self.root);
            return apply_change_set(Arc::clone(&self.store), selected, note, &context).await;
        }
        if !set.is_empty() {
            // The action writes by itself, but what it was shown to do is only true of these contents.
            blocking(&context.cancel, move |_| set.check().map_err(reply)).await?;
        }
        let note = ChangeNote::new(&action.source_tool_name, &action.label, &self.root);
        let recorded = Recorded { recording: Recording::start(Arc::clone(&self.store)), note: Some(note) };
        let context = context.with_files(Arc::clone(&recorded.recording) as Arc<dyn FileWatch>);
        let outcome = match files {
            Some(files) => action.callbacks.apply_files(&self.absolute(files), reason, context).await,
            None => action.callbacks.apply(reason, context).await,
        };
        recorded.finish().await;
        outcome
    }

    fn absolute(&self, files: &[FileSelection]) -> Vec<FileSelection> {
        let absolute = |file: &FileSelection| FileSelection {
            path: self.root.join(&file.path),
            hunks: file.hunks.clone(),
        };
        files.iter().map(absolute).collect()
    }
}

/// The one who decides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Person,
    Model,
}

enum Decision {
    /// With these files only, if any are given.
    Apply(Option<Vec<FileSelection>>),
    Discard,
}

/// Records what an action's own `apply` writes, for undo; also if it fails halfway or is killed.
struct Recorded {
    recording: Arc<Recording>,
    /// Taken when it is finished.
    note: Option<ChangeNote>,
}

impl Recorded {
    async fn finish(mut self) {
        if let Some(note) = self.note.take() {
            let recording = Arc::clone(&self.recording);
            let cancel = CancelToken::new();
            let done = blocking(&cancel, move |_| {
                keep(&recording, &note);
                Ok(())
            });
            // It only fails when the program ends.
            let _ = done.await;
        }
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if let (Some(note), Ok(runtime)) = (self.note.take(), tokio::runtime::Handle::try_current()) {
            let recording = Arc::clone(&self.recording);
            runtime.spawn_blocking(move || keep(&recording, &note));
        }
    }
}

/// The change is made. That it cannot be undone is no reason to say that it was not.
fn keep(recording: &Recording, note: &ChangeNote) {
    if let Err(error) = recording.finish(note) {
        tracing::warn!(%error, label = note.label, "What an action wrote cannot be undone");
    }
}

/// The refusal of a decision that would be about another action than the one it was made for.
fn changed(why: &str, top: Option<&PendingAction>) -> ToolError {
    ToolError::reply(match top {
        Some(top) => format!(
            "Nothing was done: {why}. The newest staged action is now: {} (staged by {}). Call resolve again if you mean \
             that one.",
            top.label, top.source_tool_name
        ),
        None => format!("Nothing was done: {why}. No action is staged now."),
    })
}
