//! Runs every example of the reference in the real engine, and compares the types with what tools really receive.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};
use toolsmith::{Home, Session, SessionSource, TrustDecision};
use toolsmith_js::{Engine, EngineOptions};
use toolsmith_llm::Script;
use toolsmith_tool::{
    CancelToken, DialogOptions, RenderOptions, SessionEvent, Tool, ToolCall, ToolContext, Ui, async_trait,
};

use super::{
    declarations::{Declarations, Group},
    sections::{EXPORTS, Runs, SECTIONS},
    types,
};

/// Members whose examples stop the run, or wait for its end, and therefore run in a command.
const END_THE_RUN: &[&str] = &["ctx.abort", "ctx.shutdown", "ctx.compact"];

/// A person who takes the first answer of every dialog.
struct Person;

#[async_trait]
impl Ui for Person {
    async fn select(&self, _title: &str, options: &[String], _dialog: DialogOptions) -> Option<String> {
        options.first().cloned()
    }
    async fn confirm(&self, _title: &str, _message: &str, _dialog: DialogOptions) -> bool {
        true
    }
    async fn input(&self, _title: &str, placeholder: Option<&str>, _dialog: DialogOptions) -> Option<String> {
        placeholder.map(str::to_owned)
    }
    async fn editor(&self, _title: &str, prefill: Option<&str>, _dialog: DialogOptions) -> Option<String> {
        prefill.map(str::to_owned)
    }
}

/// A home and a project in a temporary folder.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.project()).unwrap();
        fs::create_dir_all(place.folder.path().join("home")).unwrap();
        place
    }

    fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    fn module(&self, name: &str, text: &str) -> PathBuf {
        let path = self.project().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// A stored session with a model that plays these turns.
    async fn session(&self, module: &Path, turns: Value) -> Session {
        Session::builder(self.project())
            .home(Home::at(self.folder.path().join("home")))
            .trust(TrustDecision::everything())
            .session(SessionSource::New)
            .ui(Arc::new(Person))
            .script(Script::parse(&turns.to_string()).unwrap())
            .extension_path(module)
            .build()
            .await
            .unwrap()
    }
}

fn declarations() -> Declarations {
    Declarations::read(&types()).unwrap()
}

/// The names of an interface's members.
fn names(group: &Group) -> BTreeSet<String> {
    group.members.iter().map(|member| member.name.clone()).collect()
}

/// An example, by the name of its heading.
struct Example {
    name: String,
    code: String,
    runs: Runs,
}

fn examples(declarations: &Declarations) -> Vec<Example> {
    let mut found = Vec::new();
    for section in SECTIONS {
        for member in &declarations.interface(section.interface).unwrap().members {
            let name = format!("{}{}", section.prefix, member.name);
            let runs = if END_THE_RUN.contains(&name.as_str()) { Runs::Command } else { section.runs };
            let code = member.doc.example.clone().unwrap();
            found.push(Example { name: format!("{}: {name}", section.title), code, runs });
        }
    }
    for (module, title, _) in EXPORTS {
        for member in &declarations.module(module).unwrap().members {
            let code = member.doc.example.clone().unwrap();
            found.push(Example { name: format!("{title}: {}", member.name), code, runs: Runs::Statements });
        }
    }
    found
}

/// The exports that an example uses by their own names, as a statement that brings them into scope.
fn imports(declarations: &Declarations, code: &str) -> String {
    let exports = EXPORTS.iter().flat_map(|(module, ..)| &declarations.module(module).unwrap().members);
    let used = exports.map(|member| member.name.as_str()).chain(["z", "Type"]).filter(|name| {
        // The theme is that of the call.
        *name != "theme"
            && code.match_indices(*name).any(|(at, _)| {
                let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let before = code[..at].chars().next_back();
                let after = code[at + name.len()..].chars().next();
                !before.is_some_and(|c| is_word(c) || c == '.') && !after.is_some_and(is_word)
            })
    });
    let used: BTreeSet<&str> = used.collect();
    if used.is_empty() {
        String::new()
    } else {
        format!("const {{ {} }} = toolsmith;", Vec::from_iter(used).join(", "))
    }
}

fn indented(code: &str) -> String {
    code.lines().map(|line| format!("    {line}\n")).collect()
}

/// A module with a tool that runs all examples made of statements, and answers with those that failed.
fn statements_module(declarations: &Declarations) -> String {
    let mut text = String::from(
        "import * as toolsmith from \"toolsmith\";\nimport type { AgentToolUpdateCallback, CustomToolContext, ExtensionAPI, Theme } from \"toolsmith\";\n\
         interface Given { pi: ExtensionAPI; ctx: CustomToolContext; theme: Theme; signal: AbortSignal; onUpdate: AgentToolUpdateCallback }\n\
         const examples: Record<string, (given: Given) => Promise<unknown>> = {\n",
    );
    for Example { name, code, .. } in examples(declarations).iter().filter(|one| one.runs == Runs::Statements)
    {
        let imports = imports(declarations, code);
        writeln!(
            text,
            "  {}: async ({{ pi, ctx, theme, signal, onUpdate }}) => {{\n    {imports}\n{}  }},",
            json!(name),
            indented(code)
        )
        .unwrap();
    }
    text.push_str(
        r#"};
export default (pi: ExtensionAPI) => ({
  name: "examples", description: "Runs the examples", approval: "read" as const, parameters: pi.zod.object({}),
  async execute(id: string, params: {}, onUpdate: AgentToolUpdateCallback, ctx: CustomToolContext, signal: AbortSignal) {
    const failed: Record<string, string> = {};
    for (const [name, run] of Object.entries(examples)) {
      try {
        await run({ pi, ctx, theme: ctx.ui.theme, signal, onUpdate });
      } catch (error) {
        failed[name] = String(error);
      }
    }
    return { content: [{ type: "text" as const, text: JSON.stringify({ count: Object.keys(examples).length, failed }) }] };
  },
});
"#,
    );
    text
}

/// Turns of a model that calls `examples` and then answers whatever is asked.
fn turns() -> Value {
    let mut turns = vec![json!({ "reply": [{ "call": "examples" }] })];
    turns.extend((0..60).map(|_| json!("Fine.")));
    json!(turns)
}

/// The text of the newest result of a tool.
fn result_of(session: &Session, tool: &str) -> String {
    let entries = toolsmith_tool::SessionView::entries(&session.log());
    let message = entries.iter().rev().find_map(|entry| {
        let message = entry.get("message")?;
        (message["role"] == "toolResult" && message["toolName"] == tool).then_some(message)
    });
    message.and_then(|message| message["content"][0]["text"].as_str()).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_made_of_statements_runs_in_a_session() {
    let declarations = declarations();
    let place = Place::new();
    let module = place.module("examples.ts", &statements_module(&declarations));
    let session = place.session(&module, turns()).await;
    assert!(session.loaded().errors.is_empty(), "{:#?}", session.loaded().errors);
    session.run("Run them").await.unwrap();
    let result: Value = serde_json::from_str(&result_of(&session, "examples")).unwrap();
    assert_eq!(result["failed"], json!({}));
    assert!(result["count"].as_u64() > Some(300), "{result}");
    session.dispose().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_of_a_command_runs_in_a_session_of_its_own() {
    for Example { name, code, .. } in
        examples(&declarations()).iter().filter(|example| example.runs == Runs::Command)
    {
        let place = Place::new();
        let text = format!(
            "export default (pi) => {{\n  pi.registerCommand(\"example\", {{ handler: async (args, ctx) => {{\n{}  }} }});\n}};\n",
            indented(code)
        );
        let session =
            place.session(&place.module("example.ts", &text), json!(["Fine.", "Fine.", "Fine."])).await;
        session.run("Hello").await.unwrap();
        let outcome = session.run_command("example", "", CancelToken::new()).await;
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
        session.dispose().await;
    }
}

/// A tool with these fields, which replace those it would have.
fn tool_module(fields: &str) -> String {
    format!(
        "export default (pi) => ({{\n  name: \"example\",\n  description: \"An example\",\n  approval: \"read\",\n  \
         parameters: pi.zod.object({{ name: pi.zod.string() }}),\n  \
         async execute(toolCallId, params, onUpdate, ctx, signal) {{\n    return {{ content: [{{ type: \"text\", text: params.name }}] }};\n  }},\n{fields}\n}});\n"
    )
}

/// Typed modules with all examples, for the compiler.
fn typed_modules(declarations: &Declarations) -> Vec<(String, String)> {
    let head = "import * as toolsmith from \"toolsmith\";\n\
        import type { CustomTool, CustomToolAPI, ExtensionAPI, ExtensionCommandContext } from \"toolsmith\";\n\
        declare const base: Pick<CustomTool, \"name\" | \"description\" | \"parameters\" | \"execute\">;\n";
    let mut text = head.to_owned();
    for (at, Example { name, code, runs }) in examples(declarations).into_iter().enumerate() {
        let body = indented(&code);
        let fields = match runs {
            Runs::Field => code,
            Runs::Result => format!("async execute(toolCallId, params) {{\n{body}}},"),
            Runs::Renderer => format!("renderResult(result, options, theme, args) {{\n{body}}},"),
            Runs::ContextRenderer => {
                format!(
                    "renderResult(result, options, theme, context: toolsmith.RenderContext) {{\n{body}}},"
                )
            }
            Runs::SessionEvent => format!("async onSession(event, ctx) {{\n{body}}},"),
            Runs::Command => {
                let handler = "async (pi: ExtensionAPI, ctx: ExtensionCommandContext) =>";
                writeln!(text, "// {name}\nexport const command{at} = {handler} {{\n{body}}};").unwrap();
                continue;
            }
            Runs::Statements => continue,
        };
        writeln!(
            text,
            "// {name}\nexport const tool{at} = (pi: CustomToolAPI): CustomTool => ({{ ...base,\n{fields}\n}});"
        )
        .unwrap();
    }
    vec![("fields.ts".to_owned(), text), ("statements.ts".to_owned(), statements_module(declarations))]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_compiler_accepts_every_example() {
    if !toolsmith_testkit::has_program("npm") {
        return;
    }
    let place = Place::new();
    for (name, text) in typed_modules(&declarations()) {
        place.module(&name, &text);
    }
    let mut written = String::new();
    let files = [
        "tools",
        "host_api",
        "context",
        "ui",
        "theme",
        "extensions",
        "modules",
        "components",
        "functions",
        "schemas",
    ];
    for name in files {
        written += &fs::read_to_string(types().join(format!("{name}.d.ts"))).unwrap();
    }
    place.module("toolsmith.d.ts", &written);
    fs::copy(types().join("node_globals.d.ts"), place.project().join("node_globals.d.ts")).unwrap();
    fs::copy(types().join("tsconfig.json"), place.project().join("base.json")).unwrap();
    place.module("tsconfig.json", r#"{ "extends": "./base.json", "include": ["*.ts"] }"#);
    // Beside that of the command's own tests, which install the same packages.
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tmp/typescript");
    let packages = crate::cargo::root().join("crates/cli/tests/npm");
    let compiler = toolsmith_testkit::install_packages(&packages, &target).await.unwrap().join(".bin/tsc");
    let request = toolsmith_host::exec::Request::new(compiler.to_string_lossy())
        .args(["--pretty", "false", "-p", "."])
        .cwd(place.project());
    let outcome = toolsmith_host::exec::run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.stdout.text(), "");
}

fn events() -> Vec<SessionEvent> {
    use toolsmith_tool::{
        CompactionAction, CompactionEnd, CompactionTrigger, RetryEnd, RetryStart, TodoReminder,
    };
    let previous_session_file = Some(PathBuf::from("before.jsonl"));
    vec![
        SessionEvent::Start,
        SessionEvent::Switch { previous_session_file: previous_session_file.clone() },
        SessionEvent::Branch { previous_session_file },
        SessionEvent::Tree,
        SessionEvent::AutoCompactionStart {
            trigger: CompactionTrigger::Threshold,
            action: CompactionAction::ContextFull,
        },
        SessionEvent::AutoCompactionEnd(CompactionEnd {
            action: CompactionAction::ContextFull,
            result: None,
            aborted: false,
            will_retry: false,
            error_message: Some("no answer".to_owned()),
        }),
        SessionEvent::AutoRetryStart(RetryStart {
            attempt: 1,
            max_attempts: 3,
            delay_ms: 10,
            error_message: "overloaded".to_owned(),
        }),
        SessionEvent::AutoRetryEnd(RetryEnd {
            success: false,
            attempt: 3,
            final_error: Some("overloaded".to_owned()),
        }),
        SessionEvent::TtsrTriggered { rules: vec![json!({ "name": "no-any" })] },
        SessionEvent::TodoReminder(TodoReminder { todos: vec![json!({})], attempt: 1, max_attempts: 3 }),
        SessionEvent::Shutdown,
    ]
}

/// Uses every function of a tool as the program does.
async fn exercise(name: &str, tool: &Arc<dyn Tool>) {
    let arguments = json!({ "name": "World" });
    let arguments = tool.prepare_arguments(&arguments).await.unwrap_or(arguments);
    tool.approval(&arguments).await;
    tool.approval_details(&arguments).await;
    let call = ToolCall::new("call-1", arguments.clone());
    let result = tool.execute(call, ToolContext::detached()).await;
    let result = result.unwrap_or_else(|error| panic!("{name}: {error}"));
    let hooks = tool.render_hooks();
    for options in [
        RenderOptions::new(60).call("call-1"),
        RenderOptions::new(60).call("call-1").expanded(true),
        RenderOptions::new(60).call("call-1").partial(3),
    ] {
        let call = tool.render_call(&arguments, &options).await;
        assert_eq!(call.is_some(), hooks.call, "{name}: renderCall");
        let drawn = tool.render_result(&result, &options, &arguments).await;
        assert_eq!(drawn.is_some_and(|drawn| !drawn.lines.is_empty()), hooks.result, "{name}: renderResult");
    }
    for event in events() {
        let heard = tool.on_session(&event, &ToolContext::detached()).await;
        assert!(heard.is_ok(), "{name}: {} {heard:?}", event.reason());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_of_a_tool_field_renderer_and_event_runs() {
    let place = Place::new();
    let mut modules = Vec::new();
    for Example { name, code, runs } in examples(&declarations()) {
        let body = indented(&code);
        let fields = match runs {
            Runs::Field => code,
            Runs::Result => format!("async execute(toolCallId, params) {{\n{body}}},"),
            Runs::Renderer => format!("renderResult(result, options, theme, args) {{\n{body}}},"),
            Runs::ContextRenderer => format!("renderResult(result, options, theme, context) {{\n{body}}},"),
            Runs::SessionEvent => format!("async onSession(event, ctx) {{\n{body}}},"),
            Runs::Statements | Runs::Command => continue,
        };
        let path = place.module(&format!("example{}.ts", modules.len()), &tool_module(&fields));
        modules.push((name, path));
    }
    assert!(modules.len() > 60, "{}", modules.len());
    let engine = Engine::new(EngineOptions::new(place.project()));
    for (name, path) in modules {
        let loaded = engine.load(&[path]).await.remove(0);
        assert!(loaded.errors.is_empty(), "{name}: {:#?}", loaded.errors);
        exercise(&name, &loaded.tools[0].tool).await;
    }
}

/// Answers with the names of the members of everything tools receive, and the fields of a tool that are read.
const MEMBERS: &str = r#"
import * as toolsmith from "toolsmith";
const read = new Set();
const prototypeNames = (object) => [...Object.getOwnPropertyNames(object), ...Object.getOwnPropertyNames(Object.getPrototypeOf(object))];
export default (pi) => new Proxy({
  name: "examples", description: "Lists members", approval: "read", parameters: pi.zod.object({}),
  async execute(id, params, onUpdate, ctx, signal) {
    const groups = {
      pi, ctx, ui: ctx.ui, sessionManager: ctx.sessionManager, modelRegistry: ctx.modelRegistry, logger: pi.logger, events: pi.events,
      exec: await pi.exec("true"),
    };
    const found = Object.fromEntries(Object.entries(groups).map(([name, object]) => [name, Object.keys(object)]));
    // Nothing that is offered is undefined.
    const missing = Object.entries(groups).flatMap(([name, object]) => Object.keys(object).filter((key) => object[key] === undefined).map((key) => `${name}.${key}`));
    found.theme = prototypeNames(ctx.ui.theme).filter((name) => name !== "constructor");
    found.module = Object.keys(toolsmith);
    found.fields = [...read];
    found.missing = missing;
    return { content: [{ type: "text", text: JSON.stringify(found) }] };
  },
}, { get: (tool, key) => (typeof key === "string" && read.add(key), tool[key]) });
"#;

/// Fields that are read for tools of other agents and are not part of the contract.
const FOREIGN_FIELDS: &[&str] = &["toJSON", "then"];

#[tokio::test(flavor = "multi_thread")]
async fn the_types_and_the_runtime_have_the_same_members() {
    let declarations = declarations();
    let place = Place::new();
    let module = place.module("members.js", MEMBERS);
    let session = place.session(&module, turns()).await;
    session.run("List them").await.unwrap();
    let found: BTreeMap<String, BTreeSet<String>> =
        serde_json::from_str(&result_of(&session, "examples")).unwrap();
    let of = |interfaces: &[&str]| -> BTreeSet<String> {
        interfaces.iter().flat_map(|name| names(declarations.interface(name).unwrap())).collect()
    };
    let same = |runtime: &str, declared: &BTreeSet<String>| {
        let offered = &found[runtime];
        let undeclared: Vec<_> = offered.difference(declared).collect();
        let absent: Vec<_> = declared.difference(offered).collect();
        assert!(undeclared.is_empty(), "{runtime}: not in the types: {undeclared:?}");
        assert!(absent.is_empty(), "{runtime}: only in the types: {absent:?}");
    };
    same("pi", &of(&["CustomToolAPI", "ExtensionAPI"]));
    same("ctx", &of(&["CustomToolContext", "CommandContext"]));
    same("ui", &of(&["UIContext"]));
    same("sessionManager", &of(&["ReadonlySessionManager"]));
    same("modelRegistry", &of(&["ModelRegistry"]));
    same("logger", &of(&["Logger"]));
    same("events", &of(&["EventBus"]));
    same("exec", &of(&["ExecResult"]));
    same("theme", &of(&["Theme"]));
    let mut exports: BTreeSet<String> =
        EXPORTS.iter().flat_map(|(module, ..)| names(declarations.module(module).unwrap())).collect();
    // Libraries, which have types of their own.
    exports.extend(["Type", "z", "zod", "default"].map(str::to_owned));
    same("module", &exports);
    let mut fields = of(&["CustomTool"]);
    fields.extend(
        FOREIGN_FIELDS.iter().filter(|name| found["fields"].contains(**name)).map(|name| (*name).to_owned()),
    );
    same("fields", &fields);
    assert_eq!(found["missing"], BTreeSet::new(), "undefined members");
    session.dispose().await;
}

#[test]
fn the_events_of_the_types_are_those_of_the_program() {
    let declared = names(declarations().interface("SessionEvents").unwrap());
    let real: BTreeSet<String> = events().iter().map(|event| event.reason().to_owned()).collect();
    assert_eq!(declared, real);
}
