//! Pending changes and undo (CONTRACT 8.6).

use toolsmith::{agent::PendingChoice, tool::NoticeLevel};

use crate::app::{
    effect::Effect,
    event::Event,
    interface::App,
    panels::{PendingPanel, UndoPanel},
};

impl App {
    pub(super) fn pending_command(&mut self, argument: &str) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let actions = session.pending_actions();
        let Some(top) = actions.first() else {
            return self.notice(NoticeLevel::Info, "Nothing is pending.");
        };
        match argument {
            "apply" => return self.perform(Effect::Apply(PendingChoice::Id(top.id), None)),
            "discard" => return self.perform(Effect::Discard(PendingChoice::Id(top.id))),
            _ => {}
        }
        let cwd = self.options.cwd.clone();
        self.spawn(async move {
            let mut shown = Vec::new();
            for action in actions {
                let files = session
                    .view_pending(PendingChoice::Id(action.id))
                    .await
                    .map_err(|error| error.to_string());
                shown.push((action, files));
            }
            Event::Do(Effect::Open(Box::new(PendingPanel::new(shown, &cwd))))
        });
    }

    pub(in crate::app) fn apply_pending(
        &mut self,
        choice: PendingChoice,
        files: Option<Vec<toolsmith::tool::FileSelection>>,
    ) {
        let Some(session) = self.session.clone() else { return };
        self.spawn(async move {
            let outcome = session.apply_pending(choice, files, "applied by the user").await;
            Event::Do(match outcome {
                Ok(result) => Effect::Notice(result.joined_text()),
                Err(error) => Effect::Error(error.to_string()),
            })
        });
    }

    pub(in crate::app) fn discard_pending(&mut self, choice: PendingChoice) {
        let Some(session) = self.session.clone() else { return };
        self.spawn(async move {
            let outcome = session.discard_pending(choice, "discarded by the user").await;
            Event::Do(match outcome {
                Ok(result) => Effect::Notice(result.joined_text()),
                Err(error) => Effect::Error(error.to_string()),
            })
        });
    }

    pub(super) fn undo_command(&mut self) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        self.spawn(async move {
            let changes = match session.changes().await {
                Ok(changes) => changes,
                Err(error) => return Event::Do(Effect::Error(error.to_string())),
            };
            let Some(change) = changes.into_iter().find(|change| !change.is_undone) else {
                return Event::Do(Effect::Notice("There is no change to undo.".to_owned()));
            };
            let preview = session.view_undo(&change.entry.id).await.map_err(|error| error.to_string());
            Event::Do(Effect::Open(Box::new(UndoPanel::new(change, preview))))
        });
    }

    pub(in crate::app) fn undo(&mut self, id: Option<String>) {
        let Some(session) = self.session.clone() else { return };
        self.spawn(async move {
            Event::Do(match session.undo(id.as_deref()).await {
                Ok(change) => Effect::Notice(format!("Undid: {}", change.entry.label)),
                Err(error) => Effect::Error(error.to_string()),
            })
        });
    }
}
