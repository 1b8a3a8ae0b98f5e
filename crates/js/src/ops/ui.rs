//! The user interface: dialogs as operations, the rest synchronously (CONTRACT 3.3).

use std::{rc::Rc, sync::Arc, time::Duration};

use rquickjs::{Object, Result, function::Func};
use serde::Deserialize;
use serde_json::json;
use toolsmith_tool::{CancelToken, DialogOptions, NoticeLevel, Ui};

use super::runtime::whole;
use crate::instance::{CustomComponent, Settled, ThreadState, unless_cancelled};

/// A dialog request of any kind.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Dialog {
    title: String,
    options: Vec<String>,
    message: String,
    placeholder: Option<String>,
    prefill: Option<String>,
    /// Number of a component to show.
    view: u32,
    /// Timeout in milliseconds. The kernel enforces it; the UI may show it.
    timeout: Option<f64>,
}

pub(super) fn install(host: &Object<'_>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    host.set("hasUi", Func::from(move |call: u32| own.ui(call).has_ui()))?;
    let own = Rc::clone(state);
    host.set(
        "openDialog",
        Func::from(move |number: f64, call: u32, kind: String, json: String| {
            open(&own, whole(number), call, kind, &json);
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "notify",
        Func::from(move |call: u32, message: String, level: String| notify(&own, call, &message, &level)),
    )?;
    let own = Rc::clone(state);
    host.set(
        "setStatus",
        Func::from(move |call: u32, key: String, text: Option<String>| {
            own.ui(call).set_status(&key, text.as_deref())
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "setWidget",
        Func::from(move |call: u32, key: String, lines: Option<Vec<String>>| {
            own.ui(call).set_widget(&key, lines.as_deref());
        }),
    )?;
    let own = Rc::clone(state);
    host.set("setTitle", Func::from(move |call: u32, title: String| own.ui(call).set_title(&title)))?;
    let own = Rc::clone(state);
    host.set("themePalette", Func::from(move || theme_palette(&own)))
}

pub(super) fn notify(state: &ThreadState, call: u32, message: &str, level: &str) {
    let level = match level {
        "error" => NoticeLevel::Error,
        "warning" | "warn" => NoticeLevel::Warning,
        _ => NoticeLevel::Info,
    };
    state.ui(call).notify(message, level);
}

/// Returns the UI's colours as JSON; empty if it has none.
pub(super) fn theme_palette(state: &ThreadState) -> String {
    state.ui(0).theme().map(|theme| theme.to_string()).unwrap_or_default()
}

pub(super) fn open(state: &ThreadState, number: u64, call: u32, kind: String, json: &str) {
    let dialog: Dialog = serde_json::from_str(json).unwrap_or_default();
    let ui = state.ui(call);
    let component = (kind == "custom").then(|| CustomComponent::new(state, dialog.view));
    state.shared.spawn_operation(number, |token| async move {
        // The UI is asked to close the dialog; the tool stops waiting either way.
        let answered = unless_cancelled(&token, ask(ui, &kind, dialog, component, token.clone())).await;
        answered.flatten().map_or(Settled::Nothing, Settled::Text)
    });
}

async fn ask(
    ui: Arc<dyn Ui>,
    kind: &str,
    dialog: Dialog,
    component: Option<CustomComponent>,
    cancel: CancelToken,
) -> Option<String> {
    let mut options = DialogOptions::new(cancel);
    options.timeout = dialog.timeout.and_then(|wait| Duration::try_from_secs_f64(wait / 1000.0).ok());
    match kind {
        "select" => {
            ui.select(&dialog.title, &dialog.options, options).await.map(|chosen| json!(chosen).to_string())
        }
        "confirm" => Some(json!(ui.confirm(&dialog.title, &dialog.message, options).await).to_string()),
        "input" => {
            let text = ui.input(&dialog.title, dialog.placeholder.as_deref(), options).await;
            text.map(|text| json!(text).to_string())
        }
        "editor" => {
            let text = ui.editor(&dialog.title, dialog.prefill.as_deref(), options).await;
            text.map(|text| json!(text).to_string())
        }
        "custom" => ui.custom(Arc::new(component?), options).await.map(|value| value.to_string()),
        _ => None,
    }
}
