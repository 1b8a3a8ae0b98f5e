//! The review of pending changes: files and hunks are chosen, then applied, discarded or kept.

use std::path::Path;

use tokio::sync::oneshot;
use toolsmith::agent::{PendingChoice, PendingView, ReviewDecision as Answer};
use toolsmith_host::changes::FilePreview;

use crate::{
    app::effect::Effect,
    dialog::{Drawn, Panel, Space, Step},
    input::Key,
    keys::KeyBindings,
    review::{Review, ReviewAction, ReviewDecision},
    text::{Row, Token},
};

/// One action with the previews of its files, or the reason why there are none.
pub(in crate::app) type Previewed = (PendingView, Result<Vec<FilePreview>, String>);

/// Reviews pending actions.
pub(in crate::app) struct PendingPanel {
    review: Review,
    /// Set if the run waits for the decision.
    answer: Option<oneshot::Sender<Answer>>,
    /// Shown above, such as what the model proposes.
    note: Option<String>,
}

impl PendingPanel {
    /// Creates a review that the person asked for, newest action first.
    pub(in crate::app) fn new(actions: Vec<Previewed>, root: &Path) -> Self {
        let mut note = None;
        let mut reviewed = Vec::new();
        for (view, files) in actions {
            let files = files.unwrap_or_else(|error| {
                note = Some(error);
                Vec::new()
            });
            let can_split = !files.is_empty();
            reviewed.push(ReviewAction::new(&view, &files, root, can_split));
        }
        Self { review: Review::new(reviewed), answer: None, note }
    }

    /// Creates a review that the run waits for.
    pub(in crate::app) fn asking(
        action: PendingView,
        files: Vec<FilePreview>,
        root: &Path,
        note: Option<String>,
        answer: oneshot::Sender<Answer>,
    ) -> Self {
        let mut panel = Self::new(vec![(action, Ok(files))], root);
        (panel.answer, panel.note) = (Some(answer), note);
        panel
    }

    fn decide(&mut self, decision: ReviewDecision) -> Step {
        let (answer, effect) = match decision {
            ReviewDecision::Apply { id, parts } => (
                Answer::Apply { selection: parts.clone(), note: None },
                Some(Effect::Apply(PendingChoice::Id(id), parts)),
            ),
            ReviewDecision::Discard { id } => {
                (Answer::Discard { note: None }, Some(Effect::Discard(PendingChoice::Id(id))))
            }
            ReviewDecision::Keep => (Answer::Keep, None),
        };
        match (self.answer.take(), effect) {
            (Some(sender), _) => {
                // The run may have been stopped meanwhile.
                let _ = sender.send(answer);
                Step::Close
            }
            (None, Some(effect)) => Step::CloseAnd(effect),
            (None, None) => Step::Close,
        }
    }
}

impl Panel for PendingPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut rows = Vec::new();
        if let Some(note) = &self.note {
            rows.extend(
                Row::styled(note, space.theme.style(Token::Muted)).wrap(space.columns).into_iter().take(3),
            );
        }
        self.review.resize(space.columns, space.rows.saturating_sub(rows.len()).max(1));
        rows.extend(self.review.rows(space.theme));
        self.review.note_shown();
        Drawn { rows, cursor: None }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], _keys: &KeyBindings) -> Step {
        match self.review.key(key) {
            Some(decision) => self.decide(decision),
            None => Step::Changed,
        }
    }

    fn is_question(&self) -> bool {
        true
    }

    fn is_large(&self) -> bool {
        true
    }
}
