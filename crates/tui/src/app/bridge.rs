//! The interface as tools see it: [`Ui`] by messages to the task that owns the screen. What tools send is cut here, on their
//! own threads, and the queue keeps the newest of each kind.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::oneshot;
use toolsmith_tool::{
    CompletionItem, CompletionSource, Completions, Component, ComponentChange, ComponentId, CustomOptions,
    DialogOptions, EditorState, InputTap, NoticeLevel, ScreenInfo, Ui, WidgetContent, WidgetPlacement,
    WorkingIndicator,
};

use super::{
    components::{Part, WidgetView},
    effect::Effect,
    event::Event,
    inbox::EventSender,
};
use crate::{
    composer::completion::{FileIndex, Trigger},
    dialog::{ConfirmDialog, Panel, SelectDialog, TextDialog},
    text::{ColorDepth, Theme},
    tool_text::{self, MAX_KEYS, MAX_PROMPT, MAX_WIDGET_ROWS, Notice, NoticeLimit},
};

/// State that tools can read at any time, without waiting for the interface.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) screen: ScreenInfo,
    pub(super) text: String,
    /// The revision of the composer that the text is from.
    pub(super) text_revision: u64,
    pub(super) statuses: BTreeMap<String, String>,
    /// Keys of the widgets.
    pub(super) widgets: BTreeSet<String>,
    pub(super) is_expanded: bool,
    pub(super) keys: Value,
    pub(super) themes: Vec<String>,
    pub(super) palette: Value,
    pub(super) depth: ColorDepth,
    pub(super) theme_version: u32,
    pub(super) cwd: PathBuf,
}

/// Sends what tools want to the interface.
#[derive(Debug)]
pub(super) struct Bridge {
    events: EventSender,
    /// The id of the next panel.
    pub(super) next: AtomicU64,
    pub(super) open_dialogs: AtomicUsize,
    known: Mutex<Known>,
    notices: Mutex<NoticeLimit>,
}

impl Bridge {
    pub(super) fn new(events: EventSender) -> Self {
        Self {
            events,
            next: AtomicU64::new(1),
            open_dialogs: AtomicUsize::new(0),
            known: Mutex::default(),
            notices: Mutex::default(),
        }
    }

    pub(super) fn shared(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn send(&self, event: Event) {
        self.events.send(event);
    }

    /// Returns text for the prompt, cut with a notice.
    fn prompt_text(&self, text: &str) -> String {
        let cut = tool_text::beginning(text, MAX_PROMPT);
        if cut.len() < text.len() {
            let message = format!("A tool set a prompt of {} bytes; it was cut to {MAX_PROMPT}.", text.len());
            self.notify(&message, NoticeLevel::Warning);
        }
        cut.to_owned()
    }
}

/// Returns whether a key may be used: it is known, or there is room for another.
fn has_room(is_known: bool, count: usize, key: &str, kind: &str) -> bool {
    if !is_known && count >= MAX_KEYS {
        tracing::warn!(key, "A {kind} of a tool was not shown: {MAX_KEYS} are in use");
        return false;
    }
    true
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
        let title = &tool_text::shown(title);
        let open = |answer| {
            Box::new(SelectDialog::new(title, options.to_vec(), &dialog.descriptions, answer, at))
                as Box<dyn Panel>
        };
        self.dialog(&dialog.cancel, open).await.flatten()
    }

    async fn confirm(&self, title: &str, message: &str, dialog: DialogOptions) -> bool {
        let at = closes_at(dialog.timeout);
        let (title, message) = (&tool_text::shown(title), &tool_text::shown(message));
        let open = |answer| Box::new(ConfirmDialog::new(title, message, answer, at)) as Box<dyn Panel>;
        self.dialog(&dialog.cancel, open).await.unwrap_or(false)
    }

    async fn input(&self, title: &str, placeholder: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let at = closes_at(dialog.timeout);
        let open = |answer: oneshot::Sender<Option<String>>| {
            let line = TextDialog::line(&tool_text::shown(title), move |text| {
                let _ = answer.send(text);
                None
            });
            Box::new(line.placeholder(tool_text::line(placeholder.unwrap_or_default())).closes_at(at))
                as Box<dyn Panel>
        };
        self.dialog(&dialog.cancel, open).await.flatten()
    }

    async fn editor(&self, title: &str, prefill: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let at = closes_at(dialog.timeout);
        let open = |answer: oneshot::Sender<Option<String>>| {
            let editor = TextDialog::editor(&tool_text::shown(title), move |text| {
                let _ = answer.send(text);
                None
            });
            Box::new(editor.prefill(prefill.unwrap_or_default()).closes_at(at)) as Box<dyn Panel>
        };
        self.dialog(&dialog.cancel, open).await.flatten()
    }

    async fn custom(
        &self,
        view: Arc<dyn Component>,
        options: CustomOptions,
        dialog: DialogOptions,
    ) -> Option<Value> {
        let _open = self.open_dialog()?;
        let _shown = ShownView { bridge: self, id: view.id() };
        self.send(Event::Custom(view, options));
        // The tool closes the view itself; its value does not pass through here.
        dialog.cancel.cancelled().await;
        None
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        let passed =
            self.notices.lock().unwrap_or_else(PoisonError::into_inner).pass(message, Instant::now());
        match passed {
            Notice::Text(text) => self.send(Event::Notice(level, text)),
            Notice::Last(text) => self.send(Event::Notice(NoticeLevel::Warning, text.to_owned())),
            Notice::None => {}
        }
    }

    fn set_status(&self, key: &str, text: Option<&str>) {
        let key = tool_text::key(key);
        let mut shared = self.shared();
        match text {
            Some(text) => {
                let known = &mut shared.statuses;
                if !has_room(known.contains_key(&key), known.len(), &key, "status") {
                    return;
                }
                known.insert(key.clone(), tool_text::line(text).to_owned());
            }
            None => drop(shared.statuses.remove(&key)),
        }
        drop(shared);
        self.send(Event::Status(key, text.map(|text| tool_text::row(tool_text::line(text)))));
    }

    fn statuses(&self) -> Vec<(String, String)> {
        self.shared().statuses.iter().map(|(key, text)| (key.clone(), text.clone())).collect()
    }

    fn set_widget(&self, key: &str, content: Option<WidgetContent>, placement: WidgetPlacement) {
        let key = tool_text::key(key);
        let view = match content {
            Some(WidgetContent::Lines(lines)) => {
                Some(WidgetView::Rows(tool_text::rows(&lines, MAX_WIDGET_ROWS)))
            }
            Some(WidgetContent::Component(component)) => Some(WidgetView::Component(component)),
            _ => None,
        };
        let mut shared = self.shared();
        let known = &mut shared.widgets;
        if view.is_none() {
            known.remove(&key);
        } else if has_room(known.contains(&key), known.len(), &key, "widget") {
            known.insert(key.clone());
        } else {
            return;
        }
        drop(shared);
        self.send(Event::Widget(key, view, placement));
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
        self.send(Event::Working(message.map(|text| tool_text::line(text).to_owned())));
    }

    fn set_working_indicator(&self, mut indicator: Option<WorkingIndicator>) {
        for frame in indicator.iter_mut().flat_map(|indicator| &mut indicator.frames) {
            frame.truncate(tool_text::line(frame).len());
        }
        self.send(Event::Indicator(indicator));
    }

    fn set_working_visible(&self, visible: bool) {
        self.send(Event::WorkingVisible(visible));
    }

    fn set_hidden_thinking_label(&self, label: Option<&str>) {
        self.send(Event::ThinkingLabel(label.map(|text| tool_text::line(text).to_owned())));
    }

    fn editor_text(&self) -> String {
        self.shared().text.clone()
    }

    fn set_editor_text(&self, text: &str) {
        let text = self.prompt_text(text);
        self.shared().text.clone_from(&text);
        self.send(Event::EditorText(text));
    }

    fn paste_to_editor(&self, text: &str) {
        self.send(Event::EditorPaste(self.prompt_text(text)));
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
        self.send(Event::Title(tool_text::line(title).to_owned()));
    }
}
