//! The user interface: dialogs as operations, the rest synchronously (CONTRACT 3.3).

use std::{fs, path::Path, rc::Rc, sync::Arc, time::Duration};

use rquickjs::{Object, Result, function::Func};
use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_tool::{
    CancelToken, ComponentChange, ComponentId, CustomOptions, DialogOptions, EditorState, NoticeLevel,
    OverlayOptions, Ui, WidgetContent, WidgetPlacement, WorkingIndicator,
};

use super::runtime::whole;
use crate::instance::{JsComponent, Settled, ThreadState, answer, unless_cancelled};

/// Frames of a working indicator beyond this are dropped.
const MAX_FRAMES: usize = 256;

/// A dialog request of any kind.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Dialog {
    title: String,
    options: Vec<String>,
    descriptions: Vec<String>,
    message: String,
    placeholder: Option<String>,
    prefill: Option<String>,
    /// Number of a component to show.
    view: u32,
    overlay: Option<Value>,
    /// State of the editor, for completions.
    state: EditorState,
    force: bool,
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
    host.set("setTitle", Func::from(move |call: u32, title: String| own.ui(call).set_title(&title)))?;
    let own = Rc::clone(state);
    host.set(
        "uiCall",
        Func::from(move |call: u32, method: String, json: String| ui_call(&own, call, &method, &json)),
    )?;
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
    state.ui(0).theme(None).map(|theme| theme.to_string()).unwrap_or_default()
}

/// A request that is answered at once. The answer is JSON, or empty for none.
pub(super) fn ui_call(state: &ThreadState, call: u32, method: &str, json: &str) -> String {
    let value = state.data_limit().read(json).unwrap_or(Value::Null);
    answer_call(state, call, method, &value).map(|answer| answer.to_string()).unwrap_or_default()
}

fn answer_call(state: &ThreadState, call: u32, method: &str, value: &Value) -> Option<Value> {
    let ui = component_ui(state, call);
    let text = || value.as_str().unwrap_or_default();
    match method {
        "newComponent" => return Some(json!(ComponentId::new().number())),
        "changed" => {
            let (id, change) = read_change(value)?;
            ui.component_changed(id, change);
        }
        "answer" => {
            let request = u32::try_from(value.get("request")?.as_u64()?).ok()?;
            answer(state, request, value.get("value").cloned().unwrap_or_default());
        }
        "callChanged" => ui.call_changed(text()),
        "screen" => return Some(screen(&*ui)),
        "setWidget" => {
            let key = value.get("key").and_then(Value::as_str).unwrap_or_default();
            ui.set_widget(key, widget(state, value), placement(value));
        }
        "setFooter" => ui.set_footer(component(state, value)),
        "setHeader" => ui.set_header(component(state, value)),
        "setEditorComponent" => ui.set_editor_component(component(state, value)),
        "setWorkingMessage" => ui.set_working_message(value.as_str()),
        "setWorkingIndicator" => ui.set_working_indicator(indicator(value)),
        "setWorkingVisible" => ui.set_working_visible(value.as_bool().unwrap_or(true)),
        "setHiddenThinkingLabel" => ui.set_hidden_thinking_label(value.as_str()),
        "editorText" => return Some(json!(ui.editor_text())),
        "setEditorText" => ui.set_editor_text(text()),
        "pasteToEditor" => ui.paste_to_editor(text()),
        "addCompletions" => ui.add_completions(Arc::new(JsComponent::new(state, number_of(value)?))),
        "addInputTap" => {
            let number = number_of(value)?;
            ui.add_input_tap(ComponentId::from_number(number), Arc::new(JsComponent::new(state, number)));
        }
        "removeInputTap" => ui.remove_input_tap(ComponentId::from_number(number_of(value)?)),
        "toolsExpanded" => return Some(json!(ui.tools_expanded())),
        "setToolsExpanded" => ui.set_tools_expanded(value.as_bool().unwrap_or_default()),
        "keyBindings" => return ui.key_bindings(),
        "statuses" => return Some(ui.statuses().into_iter().map(|(key, text)| (key, json!(text))).collect()),
        "gitBranch" => return git_branch(&std::env::current_dir().ok()?).map(Value::from),
        "themeNames" => return Some(json!(ui.theme_names())),
        "theme" => return ui.theme(value.as_str()),
        "themeVersion" => return Some(json!(ui.theme_version())),
        // The answer is the reason why it failed.
        "setTheme" => return ui.set_theme(text()).err().map(Value::from),
        _ => {}
    }
    None
}

/// A component outlives the call that made it; after that it belongs to the session's UI.
fn component_ui(state: &ThreadState, call: u32) -> Arc<dyn Ui> {
    let own = state.ui(call);
    if own.has_ui() { own } else { state.ui(0) }
}

fn number_of(value: &Value) -> Option<u32> {
    u32::try_from(value.get("component")?.as_u64()?).ok()
}

fn component(state: &ThreadState, value: &Value) -> Option<Arc<dyn toolsmith_tool::Component>> {
    Some(Arc::new(JsComponent::new(state, number_of(value)?)))
}

fn widget(state: &ThreadState, value: &Value) -> Option<WidgetContent> {
    if let Some(component) = component(state, value) {
        return Some(WidgetContent::Component(component));
    }
    let lines = value.get("lines")?.as_array()?;
    Some(WidgetContent::Lines(
        lines.iter().map(|line| line.as_str().unwrap_or_default().to_owned()).collect(),
    ))
}

fn placement(value: &Value) -> WidgetPlacement {
    match value.get("placement").and_then(Value::as_str) {
        Some("belowEditor") => WidgetPlacement::BelowEditor,
        _ => WidgetPlacement::AboveEditor,
    }
}

fn indicator(value: &Value) -> Option<WorkingIndicator> {
    let frames = value.get("frames")?.as_array()?;
    let interval = value.get("intervalMs").and_then(Value::as_u64).map(Duration::from_millis);
    let frames = frames.iter().take(MAX_FRAMES).filter_map(Value::as_str).map(str::to_owned).collect();
    Some(WorkingIndicator { frames, interval })
}

fn read_change(value: &Value) -> Option<(ComponentId, ComponentChange)> {
    let id = ComponentId::from_number(u32::try_from(value.get("id")?.as_u64()?).ok()?);
    let given = value.get("value");
    let flag = || given.and_then(Value::as_bool).unwrap_or_default();
    let text = || given.and_then(Value::as_str).unwrap_or_default().to_owned();
    let change = match value.get("change")?.as_str()? {
        "render" => ComponentChange::Render,
        "hidden" => ComponentChange::Hidden(flag()),
        "focus" => ComponentChange::Focus(flag()),
        "removed" => ComponentChange::Removed,
        "submit" => ComponentChange::Submit(text()),
        "text" => ComponentChange::TextChanged(text()),
        _ => return None,
    };
    Some((id, change))
}

fn screen(ui: &dyn Ui) -> Value {
    let screen = ui.screen();
    json!({
        "columns": screen.columns,
        "rows": screen.rows,
        "trueColor": screen.true_color,
        "hyperlinks": screen.hyperlinks,
        "images": screen.images,
        "kittyKeys": screen.kitty_keys,
    })
}

/// Reads the branch of the working directory without starting git.
fn git_branch(folder: &Path) -> Option<String> {
    let found = folder.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    let git = match fs::read_to_string(&found) {
        // A worktree's `.git` is a file that names its folder.
        Ok(text) => found.parent()?.join(text.trim().strip_prefix("gitdir: ")?),
        Err(_) => found,
    };
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    let head = head.trim();
    Some(head.strip_prefix("ref: refs/heads/").map_or_else(|| head.chars().take(8).collect(), str::to_owned))
}

pub(super) fn open(state: &ThreadState, number: u64, call: u32, kind: String, json: &str) {
    let dialog: Dialog = state.data_limit().read(json).unwrap_or_default();
    let ui = state.ui(call);
    let component = (kind == "custom").then(|| JsComponent::new(state, dialog.view));
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
    component: Option<JsComponent>,
    cancel: CancelToken,
) -> Option<String> {
    let mut options = DialogOptions::new(cancel);
    options.timeout = dialog.timeout.and_then(|wait| Duration::try_from_secs_f64(wait / 1000.0).ok());
    match kind {
        "select" => {
            options.descriptions = dialog.descriptions;
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
        "custom" => {
            let mut custom = CustomOptions::default();
            // Options that cannot be read are left to the UI, like missing ones.
            custom.overlay = dialog
                .overlay
                .map(|options| serde_json::from_value::<OverlayOptions>(options).unwrap_or_default());
            ui.custom(Arc::new(component?), custom, options).await.map(|value| value.to_string())
        }
        "completions" => {
            let found = ui.own_completions(&dialog.state, dialog.force).await?;
            serde_json::to_string(&found).ok()
        }
        _ => None,
    }
}
