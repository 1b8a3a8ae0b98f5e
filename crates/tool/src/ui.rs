//! The user interface as tools see it: a trait that UIs implement (CONTRACT 3.3), the headless default, and a slot that
//! lets a host switch the UI of everything already loaded.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    cancel::CancelToken,
    completion::{CompletionSource, Completions, EditorState, InputTap},
    component::{
        Component, ComponentChange, ComponentId, CustomOptions, ScreenInfo, WidgetContent, WidgetPlacement,
        WorkingIndicator,
    },
};

/// Severity of a notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeLevel {
    /// Information.
    #[default]
    Info,
    /// Warning.
    Warning,
    /// Error.
    Error,
}

/// Options of a dialog. The dialog ends without an answer when `cancel` is triggered.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DialogOptions {
    /// Closes the dialog.
    pub cancel: CancelToken,
    /// Timeout set by the tool. The opener of the dialog triggers `cancel` then; a UI can show it.
    pub timeout: Option<Duration>,
    /// Explanations of the entries of a list, in their order; empty if there are none.
    pub descriptions: Vec<String>,
}

impl DialogOptions {
    /// Creates options with a cancel token.
    pub fn new(cancel: CancelToken) -> Self {
        Self { cancel, ..Self::default() }
    }

    /// Sets the timeout.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

/// The UI functions offered to tools. Every method has a headless default, so that a UI implements only what it can
/// show.
#[async_trait]
pub trait Ui: Send + Sync {
    /// Returns whether a person can be asked.
    fn has_ui(&self) -> bool {
        true
    }

    /// Offers a list; returns the chosen entry, or nothing.
    async fn select(&self, _title: &str, _options: &[String], _dialog: DialogOptions) -> Option<String> {
        None
    }

    /// Asks a yes-or-no question.
    async fn confirm(&self, _title: &str, _message: &str, _dialog: DialogOptions) -> bool {
        false
    }

    /// Asks for one line of text.
    async fn input(
        &self,
        _title: &str,
        _placeholder: Option<&str>,
        _dialog: DialogOptions,
    ) -> Option<String> {
        None
    }

    /// Asks for a longer text.
    async fn editor(&self, _title: &str, _prefill: Option<&str>, _dialog: DialogOptions) -> Option<String> {
        None
    }

    /// Shows a component until `dialog` is cancelled or the person closes it; returns a value if the UI has one.
    async fn custom(
        &self,
        _view: Arc<dyn Component>,
        _options: CustomOptions,
        _dialog: DialogOptions,
    ) -> Option<Value> {
        None
    }

    /// Shows a notice.
    fn notify(&self, _message: &str, _level: NoticeLevel) {}

    /// Sets or clears one entry of the status line.
    fn set_status(&self, _key: &str, _text: Option<&str>) {}

    /// Returns the entries of the status line that tools set.
    fn statuses(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Sets or clears a block near the editor.
    fn set_widget(&self, _key: &str, _content: Option<WidgetContent>, _placement: WidgetPlacement) {}

    /// Replaces the footer, or restores the UI's own.
    fn set_footer(&self, _footer: Option<Arc<dyn Component>>) {}

    /// Replaces the header, or restores the UI's own.
    fn set_header(&self, _header: Option<Arc<dyn Component>>) {}

    /// Replaces the editor, or restores the UI's own.
    fn set_editor_component(&self, _editor: Option<Arc<dyn Component>>) {}

    /// Handles a request of a mounted component.
    fn component_changed(&self, _id: ComponentId, _change: ComponentChange) {}

    /// Draws the call with this id again: its renderer has something new.
    fn call_changed(&self, _tool_call_id: &str) {}

    /// Returns the screen.
    fn screen(&self) -> ScreenInfo {
        ScreenInfo::default()
    }

    /// Sets the text beside the working indicator, or restores the UI's own.
    fn set_working_message(&self, _message: Option<&str>) {}

    /// Sets the working indicator, or restores the UI's own.
    fn set_working_indicator(&self, _indicator: Option<WorkingIndicator>) {}

    /// Shows or hides the line with the working indicator.
    fn set_working_visible(&self, _visible: bool) {}

    /// Sets the text in the place of hidden thinking, or restores the UI's own.
    fn set_hidden_thinking_label(&self, _label: Option<&str>) {}

    /// Returns the text of the editor.
    fn editor_text(&self) -> String {
        String::new()
    }

    /// Replaces the text of the editor.
    fn set_editor_text(&self, _text: &str) {}

    /// Inserts text at the cursor, as a paste does.
    fn paste_to_editor(&self, _text: &str) {}

    /// Adds a source of completions for the editor.
    fn add_completions(&self, _source: Arc<dyn CompletionSource>) {}

    /// Returns the UI's own completions, for sources that wrap them.
    async fn own_completions(&self, _state: &EditorState, _force: bool) -> Option<Completions> {
        None
    }

    /// Adds a tap on the input. It is removed with [`Ui::remove_input_tap`].
    fn add_input_tap(&self, _id: ComponentId, _tap: Arc<dyn InputTap>) {}

    /// Removes a tap.
    fn remove_input_tap(&self, _id: ComponentId) {}

    /// Returns whether tool output is shown expanded.
    fn tools_expanded(&self) -> bool {
        false
    }

    /// Expands or collapses tool output.
    fn set_tools_expanded(&self, _expanded: bool) {}

    /// Returns the keys of actions, by action id; `None` uses the defaults.
    fn key_bindings(&self) -> Option<Value> {
        None
    }

    /// Returns the names of the themes that can be set.
    fn theme_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the theme for renderers: colour names and their escape sequences. `name` selects another than the current one.
    fn theme(&self, _name: Option<&str>) -> Option<Value> {
        None
    }

    /// Returns a number that changes with the theme.
    fn theme_version(&self) -> u32 {
        0
    }

    /// Switches the theme.
    ///
    /// # Errors
    /// Fails with the reason if there is no such theme.
    fn set_theme(&self, _name: &str) -> Result<(), String> {
        Err("no user interface is available".to_owned())
    }

    /// Sets the window title.
    fn set_title(&self, _title: &str) {}
}

/// The headless UI: dialogs return nothing, the rest does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadlessUi;

#[async_trait]
impl Ui for HeadlessUi {
    fn has_ui(&self) -> bool {
        false
    }
}

/// The current UI of loaded tools. Setting it switches every holder at once, including those that took a handle
/// earlier.
#[derive(Clone)]
pub struct UiSlot {
    current: Arc<RwLock<Arc<dyn Ui>>>,
}

impl UiSlot {
    /// Creates a slot that starts headless.
    pub fn headless() -> Self {
        Self { current: Arc::new(RwLock::new(Arc::new(HeadlessUi))) }
    }

    /// Switches the UI of every holder.
    pub fn set(&self, ui: Arc<dyn Ui>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = ui;
    }

    /// Returns a handle that follows this slot.
    pub fn handle(&self) -> UiHandle {
        UiHandle { slot: self.clone() }
    }

    fn get(&self) -> Arc<dyn Ui> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for UiSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UiSlot").field("has_ui", &self.get().has_ui()).finish()
    }
}

/// A handle to whatever UI its slot holds at the time of use.
#[derive(Clone, Debug)]
pub struct UiHandle {
    slot: UiSlot,
}

impl UiHandle {
    /// Returns a handle that is always headless.
    pub fn headless() -> Self {
        UiSlot::headless().handle()
    }

    /// Returns the current UI.
    pub fn current(&self) -> Arc<dyn Ui> {
        self.slot.get()
    }
}
