//! The deadline of a call. Progress starts the time anew, and open dialogs stop the clock: the time that a person takes to answer
//! is not the tool's. Dialogs close when their call is stopped, and a call can open only a limited number at once.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};
use toolsmith_tool::{
    CancelToken, CompletionSource, Completions, Component, ComponentChange, ComponentId, CustomOptions,
    DialogOptions, EditorState, InputTap, NoticeLevel, ScreenInfo, Ui, UiHandle, UiSlot, WidgetContent,
    WidgetPlacement, WorkingIndicator,
};

/// Dialogs that a call can have open at once. A person cannot answer more, and each one waits in a queue of the UI.
const MAX_DIALOGS: usize = 64;

/// The deadline of a call. Progress and closed dialogs start the time anew, and open dialogs stop the clock. Clones are the same.
#[derive(Clone, Debug)]
pub struct CallDeadline {
    deadline: Duration,
    state: Arc<(Mutex<State>, Notify)>,
}

#[derive(Debug)]
struct State {
    /// `None` where no clock goes that far.
    until: Option<Instant>,
    open_dialogs: usize,
}

impl CallDeadline {
    /// Starts the time.
    pub fn new(deadline: Duration) -> Self {
        let state = State { until: Instant::now().checked_add(deadline), open_dialogs: 0 };
        Self { deadline, state: Arc::new((Mutex::new(state), Notify::new())) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the time anew, after progress.
    pub(crate) fn extend(&self) {
        self.lock().until = Instant::now().checked_add(self.deadline);
    }

    /// Waits until the time is over, also if it is extended meanwhile.
    pub async fn over(&self) {
        loop {
            // Made before looking, so that no change in between is missed.
            let resumed = self.state.1.notified();
            let until = {
                let state = self.lock();
                state.until.filter(|_| state.open_dialogs == 0)
            };
            match until {
                Some(until) if until <= Instant::now() => return,
                // Moved only to later meanwhile; looked at again then.
                Some(until) => sleep_until(until).await,
                None => resumed.await,
            }
        }
    }

    /// Returns the user interface for the call. Its dialogs stop the clock and close when `cancel` is triggered.
    pub fn interface(&self, ui: UiHandle, cancel: CancelToken) -> UiHandle {
        if !ui.current().has_ui() {
            return ui;
        }
        let slot = UiSlot::headless();
        slot.set(Arc::new(PausingUi { ui, deadline_watch: self.clone(), cancel }));
        slot.handle()
    }

    /// Stops the clock for a dialog; `None` if too many are open.
    fn pause(&self) -> Option<Paused<'_>> {
        let mut state = self.lock();
        if state.open_dialogs >= MAX_DIALOGS {
            return None;
        }
        state.open_dialogs += 1;
        drop(state);
        Some(Paused(self))
    }
}

/// A dialog is open. Also one that is given up closes.
struct Paused<'a>(&'a CallDeadline);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.lock().open_dialogs -= 1;
        self.0.extend();
        self.0.state.1.notify_waiters();
    }
}

struct PausingUi {
    ui: UiHandle,
    deadline_watch: CallDeadline,
    cancel: CancelToken,
}

impl PausingUi {
    /// Waits for the answer to a dialog; `None` if the call was stopped or has too many dialogs open.
    async fn answer<T>(&self, dialog: impl Future<Output = T>) -> Option<T> {
        let Some(_paused) = self.deadline_watch.pause() else {
            tracing::warn!(open = MAX_DIALOGS, "A dialog of a tool was not shown: too many are open");
            return None;
        };
        // Checked first: a call that was stopped must not open another dialog.
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            answer = dialog => Some(answer),
        }
    }
}

#[async_trait]
impl Ui for PausingUi {
    fn has_ui(&self) -> bool {
        self.ui.current().has_ui()
    }

    async fn select(&self, title: &str, options: &[String], dialog: DialogOptions) -> Option<String> {
        self.answer(self.ui.current().select(title, options, dialog)).await.flatten()
    }

    async fn confirm(&self, title: &str, message: &str, dialog: DialogOptions) -> bool {
        self.answer(self.ui.current().confirm(title, message, dialog)).await.unwrap_or(false)
    }

    async fn input(&self, title: &str, placeholder: Option<&str>, dialog: DialogOptions) -> Option<String> {
        self.answer(self.ui.current().input(title, placeholder, dialog)).await.flatten()
    }

    async fn editor(&self, title: &str, prefill: Option<&str>, dialog: DialogOptions) -> Option<String> {
        self.answer(self.ui.current().editor(title, prefill, dialog)).await.flatten()
    }

    async fn custom(
        &self,
        view: Arc<dyn Component>,
        options: CustomOptions,
        dialog: DialogOptions,
    ) -> Option<Value> {
        self.answer(self.ui.current().custom(view, options, dialog)).await.flatten()
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        self.ui.current().notify(message, level);
    }

    fn set_status(&self, key: &str, text: Option<&str>) {
        self.ui.current().set_status(key, text);
    }

    fn statuses(&self) -> Vec<(String, String)> {
        self.ui.current().statuses()
    }

    fn set_widget(&self, key: &str, content: Option<WidgetContent>, placement: WidgetPlacement) {
        self.ui.current().set_widget(key, content, placement);
    }

    fn set_footer(&self, footer: Option<Arc<dyn Component>>) {
        self.ui.current().set_footer(footer);
    }

    fn set_header(&self, header: Option<Arc<dyn Component>>) {
        self.ui.current().set_header(header);
    }

    fn set_editor_component(&self, editor: Option<Arc<dyn Component>>) {
        self.ui.current().set_editor_component(editor);
    }

    fn component_changed(&self, id: ComponentId, change: ComponentChange) {
        self.ui.current().component_changed(id, change);
    }

    fn call_changed(&self, tool_call_id: &str) {
        self.ui.current().call_changed(tool_call_id);
    }

    fn screen(&self) -> ScreenInfo {
        self.ui.current().screen()
    }

    fn set_working_message(&self, message: Option<&str>) {
        self.ui.current().set_working_message(message);
    }

    fn set_working_indicator(&self, indicator: Option<WorkingIndicator>) {
        self.ui.current().set_working_indicator(indicator);
    }

    fn set_working_visible(&self, visible: bool) {
        self.ui.current().set_working_visible(visible);
    }

    fn set_hidden_thinking_label(&self, label: Option<&str>) {
        self.ui.current().set_hidden_thinking_label(label);
    }

    fn editor_text(&self) -> String {
        self.ui.current().editor_text()
    }

    fn set_editor_text(&self, text: &str) {
        self.ui.current().set_editor_text(text);
    }

    fn paste_to_editor(&self, text: &str) {
        self.ui.current().paste_to_editor(text);
    }

    fn add_completions(&self, source: Arc<dyn CompletionSource>) {
        self.ui.current().add_completions(source);
    }

    async fn own_completions(&self, state: &EditorState, force: bool) -> Option<Completions> {
        self.ui.current().own_completions(state, force).await
    }

    fn add_input_tap(&self, id: ComponentId, tap: Arc<dyn InputTap>) {
        self.ui.current().add_input_tap(id, tap);
    }

    fn remove_input_tap(&self, id: ComponentId) {
        self.ui.current().remove_input_tap(id);
    }

    fn tools_expanded(&self) -> bool {
        self.ui.current().tools_expanded()
    }

    fn set_tools_expanded(&self, expanded: bool) {
        self.ui.current().set_tools_expanded(expanded);
    }

    fn key_bindings(&self) -> Option<Value> {
        self.ui.current().key_bindings()
    }

    fn theme_names(&self) -> Vec<String> {
        self.ui.current().theme_names()
    }

    fn theme(&self, name: Option<&str>) -> Option<Value> {
        self.ui.current().theme(name)
    }

    fn theme_version(&self) -> u32 {
        self.ui.current().theme_version()
    }

    fn set_theme(&self, name: &str) -> Result<(), String> {
        self.ui.current().set_theme(name)
    }

    fn set_title(&self, title: &str) {
        self.ui.current().set_title(title);
    }
}
