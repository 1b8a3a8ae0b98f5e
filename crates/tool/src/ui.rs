//! The user interface as tools see it: a trait that UIs implement (CONTRACT 3.3), the headless default, and a slot that
//! lets a host switch the UI of everything already loaded.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value;

use crate::{cancel::CancelToken, render::RenderedLines};

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
}

impl DialogOptions {
    /// Creates options with a cancel token.
    pub fn new(cancel: CancelToken) -> Self {
        Self { cancel, timeout: None }
    }

    /// Sets the timeout.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

/// A component that a tool draws itself and that receives keys, shown until its dialog is cancelled.
#[async_trait]
pub trait CustomView: Send + Sync {
    /// Draws the component; `None` if the tool cannot.
    async fn render(&self, width: usize) -> Option<RenderedLines>;

    /// Passes keys to it, as a terminal sends them.
    async fn input(&self, keys: &str);
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
    async fn custom(&self, _view: Arc<dyn CustomView>, _dialog: DialogOptions) -> Option<Value> {
        None
    }

    /// Shows a notice.
    fn notify(&self, _message: &str, _level: NoticeLevel) {}

    /// Sets or clears one entry of the status line.
    fn set_status(&self, _key: &str, _text: Option<&str>) {}

    /// Sets or clears a block of lines near the editor.
    fn set_widget(&self, _key: &str, _lines: Option<&[String]>) {}

    /// Sets the window title.
    fn set_title(&self, _title: &str) {}

    /// Returns the theme for renderers: colour names and their escape sequences.
    fn theme(&self) -> Option<Value> {
        None
    }
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
