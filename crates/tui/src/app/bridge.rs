//! The interface as tools and the dispatcher see it: [`Ui`] and [`Approver`] by messages to the task that owns the screen.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use toolsmith::agent::{ApprovalRequest, Approver, Decision};
use toolsmith_tool::{CancelToken, DialogOptions, NoticeLevel, Ui, WidgetContent, WidgetPlacement};

use super::{effect::Effect, event::Event};
use crate::dialog::{ApprovalDialog, ConfirmDialog, Panel, SelectDialog, TextDialog};

/// Sends what tools want to the interface.
#[derive(Debug)]
pub(super) struct Bridge {
    events: mpsc::UnboundedSender<Event>,
    next: AtomicU64,
}

impl Bridge {
    pub(super) fn new(events: mpsc::UnboundedSender<Event>) -> Self {
        Self { events, next: AtomicU64::new(1) }
    }

    fn send(&self, event: Event) {
        // The interface may have ended already.
        let _ = self.events.send(event);
    }

    /// Shows a panel until it answers or is cancelled.
    async fn ask<T>(
        &self,
        cancel: &CancelToken,
        open: impl FnOnce(oneshot::Sender<T>) -> Box<dyn Panel>,
    ) -> Option<T> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let panel = open(sender);
        self.send(Event::Panel(id, panel));
        // The panel is closed too if this future is dropped.
        let closing = Closing { bridge: self, id };
        tokio::select! {
            answer = receiver => {
                std::mem::forget(closing);
                answer.ok()
            }
            () = cancel.cancelled() => None,
        }
    }
}

struct Closing<'a> {
    bridge: &'a Bridge,
    id: u64,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.bridge.send(Event::ClosePanel(self.id));
    }
}

fn closes_at(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

#[async_trait]
impl Ui for Bridge {
    async fn select(&self, title: &str, options: &[String], dialog: DialogOptions) -> Option<String> {
        let at = closes_at(dialog.timeout);
        let open = |answer| {
            Box::new(SelectDialog::new(title, options.to_vec(), &dialog.descriptions, answer, at))
                as Box<dyn Panel>
        };
        self.ask(&dialog.cancel, open).await.flatten()
    }

    async fn confirm(&self, title: &str, message: &str, dialog: DialogOptions) -> bool {
        let at = closes_at(dialog.timeout);
        let open = |answer| Box::new(ConfirmDialog::new(title, message, answer, at)) as Box<dyn Panel>;
        self.ask(&dialog.cancel, open).await.unwrap_or(false)
    }

    async fn input(&self, title: &str, placeholder: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let at = closes_at(dialog.timeout);
        let open = |answer: oneshot::Sender<Option<String>>| {
            let line = TextDialog::line(title, move |text| {
                let _ = answer.send(text);
                None
            });
            Box::new(line.placeholder(placeholder.unwrap_or_default()).closes_at(at)) as Box<dyn Panel>
        };
        self.ask(&dialog.cancel, open).await.flatten()
    }

    async fn editor(&self, title: &str, prefill: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let at = closes_at(dialog.timeout);
        let open = |answer: oneshot::Sender<Option<String>>| {
            let editor = TextDialog::editor(title, move |text| {
                let _ = answer.send(text);
                None
            });
            Box::new(editor.prefill(prefill.unwrap_or_default()).closes_at(at)) as Box<dyn Panel>
        };
        self.ask(&dialog.cancel, open).await.flatten()
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        self.send(Event::Notice(level, message.to_owned()));
    }

    fn set_status(&self, key: &str, text: Option<&str>) {
        self.send(Event::Status(key.to_owned(), text.map(str::to_owned)));
    }

    fn set_widget(&self, key: &str, content: Option<WidgetContent>, placement: WidgetPlacement) {
        self.send(Event::Widget(key.to_owned(), content, placement));
    }

    fn set_title(&self, title: &str) {
        self.send(Event::Title(title.to_owned()));
    }
}

/// Asks in the interface whether a call may run.
#[derive(Debug)]
pub(super) struct DialogApprover(pub(super) std::sync::Arc<Bridge>);

#[async_trait]
impl Approver for DialogApprover {
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancelToken) -> Decision {
        let open = |answer| Box::new(ApprovalDialog::new(request.clone(), answer)) as Box<dyn Panel>;
        let Some(answer) = self.0.ask(cancel, open).await else {
            return Decision::Deny { note: None };
        };
        if answer.is_permanent {
            let key = format!("tools.approval.{}", request.tool_name);
            self.0.send(Event::Do(Effect::SetSetting(key, "allow".to_owned())));
        }
        answer.decision
    }
}
