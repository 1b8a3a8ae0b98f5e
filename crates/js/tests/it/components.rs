//! Components, widgets and the other members of `ui` (CONTRACT 3.3), against a user interface that keeps what it is given.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolsmith_tool::{
    CompletionItem, CompletionSource, Completions, Component, ComponentChange, ComponentId, CustomOptions,
    DialogOptions, EditorState, InputTap, Length, ScreenInfo, Tool, ToolCall, ToolContext, Ui, UiSlot,
    WidgetContent, WidgetPlacement, WorkingIndicator, async_trait,
};

use crate::project::Project;

/// A user interface that keeps everything, and says what a component asked for.
struct Screen {
    mounted: Mutex<HashMap<String, Arc<dyn Component>>>,
    notes: Mutex<Vec<String>>,
    changes: mpsc::UnboundedSender<(ComponentId, ComponentChange)>,
    editor: Mutex<String>,
    completions: Mutex<Vec<Arc<dyn CompletionSource>>>,
    taps: Mutex<Vec<(ComponentId, Arc<dyn InputTap>)>>,
    custom: Mutex<Vec<(Arc<dyn Component>, CustomOptions)>>,
    opened: mpsc::UnboundedSender<()>,
    theme: Mutex<(u32, Value)>,
}

impl Screen {
    fn note(&self, text: String) {
        self.notes.lock().unwrap().push(text);
    }
    fn mount(&self, place: &str, component: Option<Arc<dyn Component>>) {
        match component {
            Some(component) => self.mounted.lock().unwrap().insert(place.to_owned(), component),
            None => self.mounted.lock().unwrap().remove(place),
        };
    }
    fn mounted(&self, place: &str) -> Arc<dyn Component> {
        Arc::clone(self.mounted.lock().unwrap().get(place).unwrap_or_else(|| panic!("nothing in {place}")))
    }
}

#[async_trait]
impl Ui for Screen {
    async fn select(&self, title: &str, options: &[String], dialog: DialogOptions) -> Option<String> {
        self.note(format!("select {title} {options:?} {:?}", dialog.descriptions));
        options.first().cloned()
    }
    async fn custom(
        &self,
        view: Arc<dyn Component>,
        options: CustomOptions,
        dialog: DialogOptions,
    ) -> Option<Value> {
        self.custom.lock().unwrap().push((view, options));
        let _ = self.opened.send(());
        dialog.cancel.cancelled().await;
        self.note("closed".to_owned());
        None
    }
    fn set_widget(&self, key: &str, content: Option<WidgetContent>, placement: WidgetPlacement) {
        match content {
            Some(WidgetContent::Component(component)) => {
                self.mount(&format!("{key} {placement:?}"), Some(component))
            }
            Some(content) => self.note(format!("widget {key} {content:?} {placement:?}")),
            None => self.mount(&format!("{key} {placement:?}"), None),
        }
    }
    fn set_footer(&self, footer: Option<Arc<dyn Component>>) {
        self.mount("footer", footer);
    }
    fn set_header(&self, header: Option<Arc<dyn Component>>) {
        self.mount("header", header);
    }
    fn set_editor_component(&self, editor: Option<Arc<dyn Component>>) {
        self.mount("editor", editor);
    }
    fn component_changed(&self, id: ComponentId, change: ComponentChange) {
        let _ = self.changes.send((id, change));
    }
    fn call_changed(&self, id: &str) {
        self.note(format!("call changed {id}"));
    }
    fn screen(&self) -> ScreenInfo {
        let mut screen = ScreenInfo::new(123, 45);
        screen.images = Some("kitty");
        screen
    }
    fn statuses(&self) -> Vec<(String, String)> {
        vec![("ci".to_owned(), "green".to_owned())]
    }
    fn set_working_message(&self, message: Option<&str>) {
        self.note(format!("working {message:?}"));
    }
    fn set_working_indicator(&self, indicator: Option<WorkingIndicator>) {
        self.note(format!("indicator {:?}", indicator.map(|indicator| indicator.frames)));
    }
    fn set_working_visible(&self, visible: bool) {
        self.note(format!("visible {visible}"));
    }
    fn set_hidden_thinking_label(&self, label: Option<&str>) {
        self.note(format!("thinking {label:?}"));
    }
    fn editor_text(&self) -> String {
        self.editor.lock().unwrap().clone()
    }
    fn set_editor_text(&self, text: &str) {
        *self.editor.lock().unwrap() = text.to_owned();
    }
    fn paste_to_editor(&self, text: &str) {
        self.editor.lock().unwrap().push_str(text);
    }
    fn add_completions(&self, source: Arc<dyn CompletionSource>) {
        self.completions.lock().unwrap().push(source);
    }
    async fn own_completions(&self, state: &EditorState, _force: bool) -> Option<Completions> {
        let item =
            CompletionItem { value: "own".to_owned(), label: state.lines.join("|"), description: None };
        Some(Completions { items: vec![item], prefix: String::new() })
    }
    fn add_input_tap(&self, id: ComponentId, tap: Arc<dyn InputTap>) {
        self.taps.lock().unwrap().push((id, tap));
    }
    fn remove_input_tap(&self, id: ComponentId) {
        self.taps.lock().unwrap().retain(|(known, _)| *known != id);
    }
    fn key_bindings(&self) -> Option<Value> {
        Some(json!({ "tui.select.cancel": ["q"], "tui.select.down": ["j", "down"] }))
    }
    fn theme_names(&self) -> Vec<String> {
        vec!["dark".to_owned(), "mine".to_owned()]
    }
    fn theme(&self, name: Option<&str>) -> Option<Value> {
        match name {
            None => Some(self.theme.lock().unwrap().1.clone()),
            Some("mine") => Some(json!({ "name": "mine", "colours": { "accent": "38;5;99" } })),
            Some(_) => None,
        }
    }
    fn theme_version(&self) -> u32 {
        self.theme.lock().unwrap().0
    }
    fn set_theme(&self, name: &str) -> Result<(), String> {
        if name == "mine" { Ok(()) } else { Err(format!("unknown theme \"{name}\"")) }
    }
}

type Changes = mpsc::UnboundedReceiver<(ComponentId, ComponentChange)>;

fn screen() -> (Arc<Screen>, Changes, mpsc::UnboundedReceiver<()>) {
    let (changes, changed) = mpsc::unbounded_channel();
    let (opened, open) = mpsc::unbounded_channel();
    let screen = Screen {
        mounted: Mutex::default(),
        notes: Mutex::default(),
        changes,
        editor: Mutex::default(),
        completions: Mutex::default(),
        taps: Mutex::default(),
        custom: Mutex::default(),
        opened,
        theme: Mutex::new((1, json!({ "colours": { "accent": "32" } }))),
    };
    (Arc::new(screen), changed, open)
}

/// Starts a body with `ui` and `tui` in a tool; gives what it returns.
struct Running {
    /// Keeps the engine.
    tool: Arc<dyn Tool>,
    project: Project,
    call: tokio::task::JoinHandle<String>,
}

async fn start(screen: &Arc<Screen>, body: &str) -> Running {
    let source = format!(
        "import * as tui from \"@earendil-works/pi-tui\";\nexport default (pi) => ({{ name: \"t\", description: \"d\", parameters: {{}},\n\
         async execute(id, params, onUpdate, ctx, signal) {{ const ui = ctx.ui; const work = async () => {{ {body} }};\n\
         return {{ content: [{{ type: \"text\", text: JSON.stringify(await work()) ?? \"undefined\" }}] }}; }} }});"
    );
    let project = Project::new(&[("t.ts", &source)]);
    let tool = project.tool("t.ts").await;
    project.engine.set_ui_context(Arc::clone(screen) as Arc<dyn Ui>);
    let slot = UiSlot::headless();
    slot.set(Arc::clone(screen) as Arc<dyn Ui>);
    let context = ToolContext::detached().with_ui(slot.handle());
    let called = Arc::clone(&tool);
    let call = tokio::spawn(async move {
        match called.execute(ToolCall::new("call-1", json!({})), context).await {
            Ok(result) => result.joined_text(),
            Err(error) => format!("failed: {error}"),
        }
    });
    Running { tool, project, call }
}

async fn run(screen: &Arc<Screen>, body: &str) -> ((Project, Arc<dyn Tool>), String) {
    let running = start(screen, body).await;
    ((running.project, running.tool), running.call.await.unwrap())
}

async fn lines(component: &Arc<dyn Component>, width: usize) -> Vec<String> {
    component.render(width).await.unwrap_or_default().lines
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_a_custom_component_is_drawn_driven_by_keys_and_closed() {
    let (screen, mut changes, mut open) = screen();
    let body = r#"
        return await ui.custom((tui, theme, keybindings, done) => {
            let presses = 0;
            return {
                focused: false,
                render: (width) => [`${presses} ${width} ${tui.terminal.columns}x${tui.terminal.rows} ${this?.focused}`, theme.fg("accent", "x")],
                handleInput(data) {
                    if (keybindings.matches(data, "tui.select.cancel")) done({ presses });
                    else presses += 1;
                    tui.requestRender();
                },
            };
        }, { overlay: true, overlayOptions: { width: "50%", anchor: "top-right", visible: (columns) => columns > 100 } });"#;
    let running = start(&screen, body).await;
    open.recv().await.unwrap();
    let (view, options) = screen.custom.lock().unwrap()[0].clone();
    let overlay = options.overlay.unwrap();
    assert_eq!(overlay.width, Some(Length::Percent(50.0)));
    assert_eq!(lines(&view, 30).await[0], "0 30 123x45 undefined", "the real size");
    assert_eq!(lines(&view, 30).await[1], "\u{1b}[32mx\u{1b}[39m", "the interface's colours");
    view.focus(true).await;
    view.input("j").await;
    let (id, change) = changes.recv().await.unwrap();
    assert_eq!((id, change), (view.id(), ComponentChange::Render), "it asked to be drawn again");
    assert!(lines(&view, 30).await[0].starts_with("1 "));
    view.input("q").await;
    assert_eq!(running.call.await.unwrap(), r#"{"presses":1}"#, "the user's own key for cancel");
    assert!(view.render(30).await.is_none(), "it is gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_overlay_handles_hide_and_focus() {
    let (screen, mut changes, mut open) = screen();
    let body = r#"
        let handle;
        const closed = ui.custom((tui, theme, kb, done) => ({ render: () => ["row"], handleInput: () => done(handle.isHidden()) }),
            { overlay: true, onHandle: (given) => { handle = given; given.setHidden(true); given.focus(); } });
        return await closed;"#;
    let running = start(&screen, body).await;
    open.recv().await.unwrap();
    assert_eq!(changes.recv().await.unwrap().1, ComponentChange::Hidden(true));
    assert_eq!(changes.recv().await.unwrap().1, ComponentChange::Focus(true));
    let view = Arc::clone(&screen.custom.lock().unwrap()[0].0);
    assert_eq!(lines(&view, 10).await, Vec::<String>::new(), "hidden");
    view.input("x").await;
    assert_eq!(running.call.await.unwrap(), "true");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_widgets_live_on_after_the_call_and_are_drawn_again_on_request() {
    let (screen, mut changes, _open) = screen();
    let body = r#"
        let count = 0;
        ui.setWidget("clock", (tui, theme) => {
            globalThis.tick = () => { count += 1; tui.requestRender(); };
            return { render: (width) => [`tick ${count} of ${width}`, "w".repeat(500)], dispose() { globalThis.disposed = true; } };
        }, { placement: "belowEditor" });
        ui.setWidget("plain", ["one", "two"]);
        setTimeout(() => globalThis.tick(), 1);
        return null;"#;
    let (project, _) = run(&screen, body).await;
    let widget = screen.mounted("clock BelowEditor");
    changes.recv().await.unwrap();
    assert_eq!(lines(&widget, 20).await, ["tick 1 of 20".to_owned(), "w".repeat(20)]);
    assert_eq!(screen.notes.lock().unwrap()[0], "widget plain Lines([\"one\", \"two\"]) AboveEditor");
    drop(project);
    assert!(widget.render(20).await.is_none(), "the engine is gone, and nothing hangs");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_a_widget_is_replaced_and_disposed() {
    let (screen, _changes, _open) = screen();
    let body = r#"
        const seen = [];
        const make = (name) => () => ({ render: () => [name], dispose: () => seen.push(name) });
        ui.setWidget("w", make("a")); ui.setWidget("w", make("b")); ui.setWidget("w", undefined);
        ui.setFooter((tui, theme, data) => ({ render: () => [`${data.getExtensionStatuses().get("ci")} ${typeof data.getGitBranch()}`] }));
        ui.setHeader(() => ({ render: () => ["head"] })); ui.setHeader(undefined);
        return seen;"#;
    let (_project, seen) = run(&screen, body).await;
    assert_eq!(seen, r#"["a","b"]"#);
    assert!(!screen.mounted.lock().unwrap().contains_key("header"));
    assert!(lines(&screen.mounted("footer"), 40).await[0].starts_with("green "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_the_rest_of_the_interface_is_reached() {
    let (screen, _changes, _open) = screen();
    let body = r#"
        ui.setEditorText("hello"); ui.pasteToEditor(" world");
        ui.setWorkingMessage("Busy"); ui.setWorkingMessage(); ui.setWorkingIndicator({ frames: ["a", "b"], intervalMs: 50 }); ui.setWorkingIndicator();
        ui.setWorkingVisible(false); ui.setHiddenThinkingLabel("hm");
        const chosen = await ui.select("t", [{ label: "a", description: "first" }, "b"]);
        return [ui.getEditorText(), chosen, ui.getAllThemes().map((theme) => theme.name), ui.setTheme("mine"), ui.setTheme("x"), ui.getTheme("mine").fg("accent", "x"), ui.getTheme("none"), ui.getToolsExpanded(),
            tui.getCapabilities().images, tui.keyText("tui.select.down"), ui.noSuchMember === undefined];"#;
    let (_project, answer) = run(&screen, body).await;
    assert_eq!(
        serde_json::from_str::<Value>(&answer).unwrap(),
        json!(["hello world", "a", ["dark", "mine"], { "success": true }, { "success": false, "error": "unknown theme \"x\"" }, "\u{1b}[38;5;99mx\u{1b}[39m", null, false, "kitty", "j/down", true])
    );
    assert_eq!(
        *screen.notes.lock().unwrap(),
        [
            "working Some(\"Busy\")",
            "working None",
            "indicator Some([\"a\", \"b\"])",
            "indicator None",
            "visible false",
            "thinking Some(\"hm\")",
            "select t [\"a\", \"b\"] [\"first\", \"\"]",
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_completion_providers_wrap_the_interfaces_own() {
    let (screen, _changes, _open) = screen();
    let body = r##"
        ui.addAutocompleteProvider((own) => ({
            async getSuggestions(lines, line, column, options) {
                const below = await own.getSuggestions(lines, line, column, options);
                return { prefix: "#", items: [{ value: "#42", label: "issue", description: `${line}:${column}` }, ...below.items] };
            },
            applyCompletion: (lines, line, column, item) => ({ lines: [item.value], cursorLine: 0, cursorCol: item.value.length }),
        }));
        return null;"##;
    let (_project, _) = run(&screen, body).await;
    let source = Arc::clone(&screen.completions.lock().unwrap()[0]);
    let state = EditorState { lines: vec!["see #".to_owned()], cursor_line: 0, cursor_col: 5 };
    let found = source.suggest(&state, false).await.unwrap();
    assert_eq!(found.prefix, "#");
    assert_eq!(found.items.iter().map(|item| item.label.as_str()).collect::<Vec<_>>(), ["issue", "see #"]);
    assert_eq!(source.apply(&state, &found.items[0], "#").await.unwrap().lines, ["#42"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_input_taps_consume_and_replace_keys_until_they_end() {
    let (screen, _changes, _open) = screen();
    let body = r#"
        const end = ui.onTerminalInput((data) => (data === "a" ? { consume: true } : data === "b" ? { data: "c" } : undefined));
        globalThis.endTap = end; ui.onTerminalInput(() => { throw new Error("broken"); });
        return null;"#;
    let (_project, _) = run(&screen, body).await;
    let taps: Vec<_> = screen.taps.lock().unwrap().iter().map(|(_, tap)| Arc::clone(tap)).collect();
    assert!(taps[0].tap("a").await.consume);
    assert_eq!(taps[0].tap("b").await.data.as_deref(), Some("c"));
    assert_eq!(taps[0].tap("x").await, Default::default());
    assert_eq!(taps[1].tap("x").await, Default::default(), "a tap that fails changes nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_3_an_editor_component_edits_and_submits() {
    let (screen, mut changes, _open) = screen();
    let body = r#"
        const { CustomEditor } = pi.pi;
        ui.setEditorComponent((tui, theme, keybindings) => new (class extends pi.pi.Editor {})(tui, theme));
        return null;"#;
    let (_project, answer) = run(&screen, body).await;
    assert_eq!(answer, "null");
    let editor = screen.mounted("editor");
    editor.focus(true).await;
    for key in
        ["h", "i", "\u{1b}[D", "!", "\u{5}", "\n", "x", "\u{7f}", "\u{1b}[200~pasted\nlines\u{1b}[201~"]
    {
        editor.input(key).await;
    }
    assert_eq!(editor.text().await.as_deref(), Some("h!i\npasted\nlines"));
    let drawn = lines(&editor, 20).await;
    assert!(drawn.iter().any(|line| line.contains("\u{1b}_pi:c\u{7}")), "the cursor is marked: {drawn:?}");
    editor.set_text("done").await;
    editor.input("\r").await;
    let mut submitted = None;
    while let Ok((_, change)) = changes.try_recv() {
        if let ComponentChange::Submit(text) = change {
            submitted = Some(text);
        }
    }
    assert_eq!(submitted.as_deref(), Some("done"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_2_a_component_that_fails_hangs_or_returns_nonsense_costs_only_itself() {
    let (screen, _changes, _open) = screen();
    let body = r#"
        ui.setWidget("throws", () => ({ render() { throw new Error("no"); } }));
        ui.setWidget("hangs", () => ({ render() { for (;;) {} } }));
        ui.setWidget("text", () => ({ render: () => "text" }));
        ui.setWidget("huge", () => ({ render: () => Array.from({ length: 100000 }, () => "x") }));
        ui.setWidget("fine", () => ({ render: () => ["fine \u001b[2J\u001b]0;t\u0007"] }));
        let refused = 0;
        for (const bad of [() => 5, () => ({}), () => null]) { try { ui.setWidget("bad", bad); } catch { refused += 1; } }
        return refused;"#;
    let (_project, refused) = run(&screen, body).await;
    assert_eq!(refused, "3");
    for place in ["throws", "hangs", "text"] {
        assert!(screen.mounted(&format!("{place} AboveEditor")).render(10).await.is_none(), "{place}");
    }
    assert_eq!(lines(&screen.mounted("huge AboveEditor"), 10).await.len(), 2000);
    assert_eq!(lines(&screen.mounted("fine AboveEditor"), 10).await, ["fine "]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_1_a_new_theme_is_used_by_the_next_drawing() {
    let (screen, _changes, _open) = screen();
    let body =
        r#"ui.setWidget("w", (tui, theme) => ({ render: () => [theme.fg("accent", "x")] })); return null;"#;
    let (_project, _) = run(&screen, body).await;
    let widget = screen.mounted("w AboveEditor");
    assert_eq!(lines(&widget, 10).await, ["\u{1b}[32mx\u{1b}[39m"]);
    *screen.theme.lock().unwrap() = (2, json!({ "colours": { "accent": "35" } }));
    assert_eq!(lines(&widget, 10).await, ["\u{1b}[35mx\u{1b}[39m"]);
}
