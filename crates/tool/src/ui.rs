//! The person at the other end, as a trait front ends implement (CONTRACT 3.3), the headless answer, and the
//! slot that lets a host switch the interface of everything already loaded.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value;

use crate::{cancel::CancelToken, render::RenderedLines};

/// How loud a notice is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeLevel {
    /// Good to know.
    #[default]
    Info,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Error,
}

/// What comes with a dialog. The dialog ends without an answer when `cancel` is tripped.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DialogOptions {
    /// Closes the dialog.
    pub cancel: CancelToken,
    /// How long the tool waits, where it says so. Whoever opened the dialog trips `cancel` then; a front end can show it.
    pub timeout: Option<Duration>,
}

impl DialogOptions {
    /// A dialog that `cancel` closes.
    pub fn new(cancel: CancelToken) -> Self {
        Self { cancel, timeout: None }
    }

    /// Says how long the tool waits.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

/// Something a tool draws itself and that takes keys, shown until its dialog is cancelled.
#[async_trait]
pub trait CustomView: Send + Sync {
    /// Draws it; `None` when the tool cannot.
    async fn render(&self, width: usize) -> Option<RenderedLines>;

    /// Hands it keys, as a terminal sends them.
    async fn input(&self, keys: &str);
}

/// What a front end offers to tools. Every method has the headless answer as its default, so an interface
/// implements what it can show.
#[async_trait]
pub trait Ui: Send + Sync {
    /// Whether a person can be asked.
    fn has_ui(&self) -> bool {
        true
    }

    /// Offers a list; the chosen entry, or nothing.
    async fn select(&self, _title: &str, _options: &[String], _dialog: DialogOptions) -> Option<String> {
        None
    }

    /// Asks yes or no.
    async fn confirm(&self, _title: &str, _message: &str, _dialog: DialogOptions) -> bool {
        false
    }

    /// Asks for one line.
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

    /// Shows a view until `dialog` is cancelled or the person closes it; gives a value if the front end has one.
    async fn custom(&self, _view: Arc<dyn CustomView>, _dialog: DialogOptions) -> Option<Value> {
        None
    }

    /// Shows a notice.
    fn notify(&self, _message: &str, _level: NoticeLevel) {}

    /// Sets or clears one entry of the status line.
    fn set_status(&self, _key: &str, _text: Option<&str>) {}

    /// Sets or clears a block of lines near the editor.
    fn set_widget(&self, _key: &str, _lines: Option<&[String]>) {}

    /// Sets the window's title.
    fn set_title(&self, _title: &str) {}

    /// The theme renderers draw with, as data: names of colours to their sequences.
    fn theme(&self) -> Option<Value> {
        None
    }
}

/// Nobody there: dialogs give nothing, the rest does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadlessUi;

#[async_trait]
impl Ui for HeadlessUi {
    fn has_ui(&self) -> bool {
        false
    }
}

/// Where loaded tools find their interface. Setting it switches every holder at once, also those that took a
/// handle earlier.
#[derive(Clone)]
pub struct UiSlot {
    current: Arc<RwLock<Arc<dyn Ui>>>,
}

impl UiSlot {
    /// A slot that starts headless.
    pub fn headless() -> Self {
        Self { current: Arc::new(RwLock::new(Arc::new(HeadlessUi))) }
    }

    /// Switches the interface of every holder.
    pub fn set(&self, ui: Arc<dyn Ui>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = ui;
    }

    /// A handle that follows this slot.
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

/// Reaches whatever interface its slot holds at the moment of use.
#[derive(Clone, Debug)]
pub struct UiHandle {
    slot: UiSlot,
}

impl UiHandle {
    /// A handle nobody will ever answer.
    pub fn headless() -> Self {
        UiSlot::headless().handle()
    }

    /// The interface of this moment.
    pub fn current(&self) -> Arc<dyn Ui> {
        self.slot.get()
    }
}
