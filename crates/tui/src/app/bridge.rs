//! The interface as tools and the dispatcher see it: [`Ui`] and [`Approver`] by messages to the task that owns the screen.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use toolsmith::agent::{ApprovalRequest, Approver, Decision, ReviewDecision, ReviewRequest, Reviewer};
use toolsmith_tool::{
    CancelToken, CompletionItem, CompletionSource, Completions, Component, ComponentChange, ComponentId,
    CustomOptions, DialogOptions, EditorState, InputTap, NoticeLevel, ScreenInfo, ToolError, ToolResult, Ui,
    WidgetContent, WidgetPlacement, WorkingIndicator,
};

use super::{components::Part, effect::Effect, event::Event, panels::PendingPanel};
use crate::{
    composer::completion::{FileIndex, Trigger},
    dialog::{ApprovalDialog, ConfirmDialog, Panel, SelectDialog, TextDialog},
    text::{ColorDepth, Theme},
};

/// State that tools can read at any time, without waiting for the interface.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) screen: ScreenInfo,
    pub(super) text: String,
    pub(super) statuses: BTreeMap<String, String>,
    pub(super) is_expanded: bool,
    pub(super) keys: Value,
    pub(super) themes: Vec<String>,
    pub(super) palette: Value,
    pub(super) depth: ColorDepth,
    pub(super) theme_version: u32,
    pub(super) cwd: PathBuf,
}

/// Most notices in a second.
const MAX_NOTICES: usize = 20;
/// Most characters of a notice.
const MAX_NOTICE: usize = 4000;

/// Sends what tools want to the interface.
#[derive(Debug)]
pub(super) struct Bridge {
    events: mpsc::UnboundedSender<Event>,
    next: AtomicU64,
    known: Mutex<Known>,
    notices: Mutex<NoticeLimit>,
}

/// Notices of a second. All of them stay in the transcript, so a loop must not fill it.
#[derive(Debug, Default)]
struct NoticeLimit {
    since: Option<Instant>,
    count: usize,
}

enum Allowed {
    Yes,
    /// The one that says that others are left out.
    Last,
    No,
}

impl NoticeLimit {
    fn count(&mut self, now: Instant) -> Allowed {
        if self.since.is_none_or(|since| now.duration_since(since) >= Duration::from_secs(1)) {
            (self.since, self.count) = (Some(now), 0);
        }
        self.count += 1;
        match self.count {
            ..=MAX_NOTICES => Allowed::Yes,
            count if count == MAX_NOTICES + 1 => Allowed::Last,
            _ => Allowed::No,
        }
    }
}

impl Bridge {
    pub(super) fn new(events: mpsc::UnboundedSender<Event>) -> Self {
        Self { events, next: AtomicU64::new(1), known: Mutex::default(), notices: Mutex::default() }
    }

    pub(super) fn shared(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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

/// A custom view on the screen. It is removed also if the call that shows it is dropped.
struct ShownView<'a> {
    bridge: &'a Bridge,
    id: ComponentId,
}

impl Drop for ShownView<'_> {
    fn drop(&mut self) {
        self.bridge.send(Event::ComponentChanged(self.id, ComponentChange::Removed));
    }
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

    async fn custom(
        &self,
        view: Arc<dyn Component>,
        options: CustomOptions,
        dialog: DialogOptions,
    ) -> Option<Value> {
        let _shown = ShownView { bridge: self, id: view.id() };
        self.send(Event::Custom(view, options));
        // The tool closes the view itself; its value does not pass through here.
        dialog.cancel.cancelled().await;
        None
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        let mut limit = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        match limit.count(Instant::now()) {
            Allowed::Yes => self.send(Event::Notice(level, message.chars().take(MAX_NOTICE).collect())),
            Allowed::Last => {
                let text = "Notices come too fast; those of the next second are left out.";
                self.send(Event::Notice(NoticeLevel::Warning, text.to_owned()));
            }
            Allowed::No => {}
        }
    }

    fn set_status(&self, key: &str, text: Option<&str>) {
        let mut shared = self.shared();
        match text {
            Some(text) => shared.statuses.insert(key.to_owned(), text.to_owned()),
            None => shared.statuses.remove(key),
        };
        drop(shared);
        self.send(Event::Status(key.to_owned(), text.map(str::to_owned)));
    }

    fn statuses(&self) -> Vec<(String, String)> {
        self.shared().statuses.iter().map(|(key, text)| (key.clone(), text.clone())).collect()
    }

    fn set_widget(&self, key: &str, content: Option<WidgetContent>, placement: WidgetPlacement) {
        self.send(Event::Widget(key.to_owned(), content, placement));
    }

    fn set_footer(&self, footer: Option<Arc<dyn Component>>) {
        self.send(Event::Part(Part::Footer, footer));
    }

    fn set_header(&self, header: Option<Arc<dyn Component>>) {
        self.send(Event::Part(Part::Header, header));
    }

    fn set_editor_component(&self, editor: Option<Arc<dyn Component>>) {
        self.send(Event::Part(Part::Editor, editor));
    }

    fn component_changed(&self, id: ComponentId, change: ComponentChange) {
        self.send(Event::ComponentChanged(id, change));
    }

    fn call_changed(&self, tool_call_id: &str) {
        self.send(Event::CallChanged(tool_call_id.to_owned()));
    }

    fn screen(&self) -> ScreenInfo {
        self.shared().screen
    }

    fn set_working_message(&self, message: Option<&str>) {
        self.send(Event::Working(message.map(str::to_owned)));
    }

    fn set_working_indicator(&self, indicator: Option<WorkingIndicator>) {
        self.send(Event::Indicator(indicator));
    }

    fn set_working_visible(&self, visible: bool) {
        self.send(Event::WorkingVisible(visible));
    }

    fn set_hidden_thinking_label(&self, label: Option<&str>) {
        self.send(Event::ThinkingLabel(label.map(str::to_owned)));
    }

    fn editor_text(&self) -> String {
        self.shared().text.clone()
    }

    fn set_editor_text(&self, text: &str) {
        text.clone_into(&mut self.shared().text);
        self.send(Event::Do(Effect::SetText(text.to_owned())));
    }

    fn paste_to_editor(&self, text: &str) {
        self.send(Event::Do(Effect::Paste(text.to_owned())));
    }

    fn add_completions(&self, source: Arc<dyn CompletionSource>) {
        self.send(Event::Completions(source));
    }

    async fn own_completions(&self, state: &EditorState, _force: bool) -> Option<Completions> {
        let line = state.lines.get(state.cursor_line)?;
        let before: String = line.chars().take(state.cursor_col).collect();
        let Some(Trigger::File { query, .. }) = Trigger::find(&before) else { return None };
        let cwd = self.shared().cwd.clone();
        let asked = query.clone();
        let found = tokio::task::spawn_blocking(move || FileIndex::read(&cwd).matching(&asked)).await.ok()?;
        let items = found.into_iter().map(|candidate| CompletionItem {
            value: candidate.text.trim_end().to_owned(),
            label: candidate.label,
            description: Some(candidate.detail).filter(|detail| !detail.is_empty()),
        });
        Some(Completions { items: items.collect(), prefix: format!("@{query}") })
    }

    fn add_input_tap(&self, id: ComponentId, tap: Arc<dyn InputTap>) {
        self.send(Event::Tap(id, Some(tap)));
    }

    fn remove_input_tap(&self, id: ComponentId) {
        self.send(Event::Tap(id, None));
    }

    fn tools_expanded(&self) -> bool {
        self.shared().is_expanded
    }

    fn set_tools_expanded(&self, expanded: bool) {
        self.send(Event::Expanded(expanded));
    }

    fn key_bindings(&self) -> Option<Value> {
        Some(self.shared().keys.clone())
    }

    fn theme_names(&self) -> Vec<String> {
        self.shared().themes.clone()
    }

    fn theme(&self, name: Option<&str>) -> Option<Value> {
        let shared = self.shared();
        match name {
            None => Some(shared.palette.clone()),
            Some(name) => Theme::built_in(name).map(|theme| theme.palette(shared.depth)),
        }
    }

    fn theme_version(&self) -> u32 {
        self.shared().theme_version
    }

    fn set_theme(&self, name: &str) -> Result<(), String> {
        if !self.shared().themes.iter().any(|known| known == name) {
            return Err(format!("unknown theme \"{name}\""));
        }
        self.send(Event::Do(Effect::SetTheme(name.to_owned())));
        Ok(())
    }

    fn set_title(&self, title: &str) {
        self.send(Event::Title(title.to_owned()));
    }
}

/// Asks in the interface about previews (CONTRACT 8.6).
#[derive(Debug)]
pub(super) struct DialogReviewer {
    pub(super) bridge: Arc<Bridge>,
    pub(super) cwd: PathBuf,
}

#[async_trait]
impl Reviewer for DialogReviewer {
    async fn review(&self, request: &ReviewRequest, cancel: &CancelToken) -> ReviewDecision {
        let proposal = request.proposal.as_ref().map(|proposal| {
            let word = if proposal.apply { "apply" } else { "discard" };
            format!("The model proposes to {word} this: {}", proposal.reason)
        });
        let note = request.problem.clone().or(proposal);
        let open = |answer| {
            let panel =
                PendingPanel::asking(request.action.clone(), request.files.clone(), &self.cwd, note, answer);
            Box::new(panel) as Box<dyn Panel>
        };
        self.bridge.ask(cancel, open).await.unwrap_or(ReviewDecision::Keep)
    }

    fn decided(&self, _request: &ReviewRequest, outcome: &Result<ToolResult, ToolError>) {
        // What worked is shown by the run itself.
        let failure = match outcome {
            Ok(result) if !result.is_error => return,
            Ok(result) => result.joined_text(),
            Err(error) => error.to_string(),
        };
        self.bridge.send(Event::Notice(NoticeLevel::Error, failure));
    }
}

/// Asks in the interface whether a call may run.
#[derive(Debug)]
pub(super) struct DialogApprover(pub(super) Arc<Bridge>);

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
