//! The user's review of previews (CONTRACT 8.6). Where the user can be asked, a staged action waits for the user's decision
//! before the model's next request; a call of `resolve` only proposes a decision.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use toolsmith_host::changes::FilePreview;
use toolsmith_tool::{
    CancelToken, FileSelection, PendingAction, PendingId, Tier, ToolError, ToolResult, panics::catching,
};

use super::{
    pending_view::PendingView,
    resolver::{PendingChoice, Resolver},
};
use crate::turn::TurnContext;

/// Reason of a decision the user gives no reason for.
const DEFAULT_REASON: &str = "decided by the user";

/// A decision the model proposed by calling `resolve`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// The proposed decision: apply, or discard.
    pub apply: bool,
    /// The model's reason.
    pub reason: String,
}

/// A staged action for review. Texts are untrusted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewRequest {
    /// The action.
    pub action: PendingView,
    /// The tier of applying it.
    pub tier: Tier,
    /// The exact differences; empty if the action does not name its files.
    pub files: Vec<FilePreview>,
    /// The reason why there are no differences to show, and applying will fail.
    pub problem: Option<String>,
    /// The model's proposal, if it made one.
    pub proposal: Option<Proposal>,
    /// Number of other pending actions.
    pub others: usize,
}

/// The user's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReviewDecision {
    /// Apply the action: all of it, or the selected files and hunks. What is left out is dropped.
    Apply {
        /// The selected part; `None` for everything.
        selection: Option<Vec<FileSelection>>,
        /// Message for the model.
        note: Option<String>,
    },
    /// Drop the action.
    Discard {
        /// Message for the model.
        note: Option<String>,
    },
    /// Leave it pending; the model continues without it.
    Keep,
}

/// Asks the user about staged actions. Clients implement it.
#[async_trait]
pub trait Reviewer: Send + Sync {
    /// Returns whether the user can be asked now. If not, the model decides.
    fn can_ask(&self) -> bool {
        true
    }

    /// Asks. One question is open at a time. Cancelling takes the question back and keeps the action.
    async fn review(&self, request: &ReviewRequest, cancel: &CancelToken) -> ReviewDecision;

    /// Reports what became of the decision.
    fn decided(&self, _request: &ReviewRequest, _outcome: &Result<ToolResult, ToolError>) {}
}

/// State of the review in one session.
#[derive(Default)]
pub(super) struct Review {
    reviewer: Option<Arc<dyn Reviewer>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    proposals: HashMap<PendingId, Proposal>,
    /// Actions the user wants to decide about later.
    kept: HashSet<PendingId>,
}

impl fmt::Debug for Review {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Review").field("is_on", &self.is_on()).finish()
    }
}

impl Review {
    pub(super) fn by(reviewer: Arc<dyn Reviewer>) -> Self {
        Self { reviewer: Some(reviewer), state: Mutex::default() }
    }

    pub(super) fn is_on(&self) -> bool {
        self.reviewer.as_ref().is_some_and(|reviewer| reviewer.can_ask())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a proposal. The user is asked again, even about an action that was kept.
    pub(super) fn propose(&self, id: PendingId, proposal: Proposal) {
        let mut state = self.lock();
        state.kept.remove(&id);
        state.proposals.insert(id, proposal);
    }

    pub(super) fn forget(&self) {
        *self.lock() = State::default();
    }

    fn keep(&self, id: PendingId) {
        self.lock().kept.insert(id);
    }

    fn is_kept(&self, id: PendingId) -> bool {
        self.lock().kept.contains(&id)
    }

    fn take_proposal(&self, id: PendingId) -> Option<Proposal> {
        self.lock().proposals.remove(&id)
    }
}

impl Resolver {
    /// Asks the user about every action that was not decided or kept, newest first.
    pub(super) async fn ask_user(&self, context: &TurnContext) {
        let Some(reviewer) = self.review().reviewer.clone() else { return };
        while reviewer.can_ask() && !context.cancel().is_cancelled() {
            let waiting = self.stack().list().into_iter().find(|action| !self.review().is_kept(action.id));
            let Some(action) = waiting else { return };
            let request = self.review_of(&action).await;
            let decision = tokio::select! {
                biased;
                () = context.cancel().cancelled() => return,
                decision = catching(reviewer.review(&request, context.cancel())) => {
                    decision.unwrap_or(ReviewDecision::Keep)
                }
            };
            let choice = PendingChoice::Id(action.id.number());
            let reason = |note: Option<String>| {
                note.filter(|note| !note.trim().is_empty()).unwrap_or_else(|| DEFAULT_REASON.to_owned())
            };
            let tools = context.tool_context();
            let outcome = match decision {
                ReviewDecision::Apply { selection, note } => {
                    self.apply(choice, selection, &reason(note), tools).await
                }
                ReviewDecision::Discard { note } => self.discard(choice, &reason(note), tools).await,
                ReviewDecision::Keep => {
                    self.review().keep(action.id);
                    self.tell(format!(
                        "The user has not decided about the staged action yet: {} (staged by {}). Its files are unchanged. \
                         Continue without it, or stop if nothing else can be done.",
                        action.label, action.source_tool_name
                    ));
                    continue;
                }
            };
            reviewer.decided(&request, &outcome);
        }
    }

    /// Returns an action with everything a person needs to decide about it; `None` if it is unknown.
    pub async fn review_request(&self, choice: PendingChoice) -> Option<ReviewRequest> {
        Some(self.review_of(&self.find(choice)?).await)
    }

    async fn review_of(&self, action: &PendingAction) -> ReviewRequest {
        let (files, problem) = match self.view(PendingChoice::Id(action.id.number())).await {
            Ok(files) => (files, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        ReviewRequest {
            action: PendingView::from(action),
            tier: self.tier_to_apply(action).await,
            files,
            problem,
            proposal: self.review().take_proposal(action.id),
            others: self.stack().count().saturating_sub(1),
        }
    }
}
