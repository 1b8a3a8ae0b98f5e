//! Hot reload in a session: which version of a tool a call meets, what the model sees, and what modules receive.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use toolsmith::{BuiltIns, Session, SessionSource, settings::Settings};
use toolsmith_agent::{AgentEvent, ApprovalMode};
use toolsmith_llm::{Message, Script, ScriptedProvider};

use crate::place::Place;

/// A module with one tool that answers with this text.
fn greeting(text: &str, parameters: &str, more: &str) -> String {
    format!(
        "{more}\nexport default () => ({{ name: \"greet\", description: \"Greets\", approval: \"read\",\n\
         parameters: {{ type: \"object\", properties: {{ {parameters} }} }},\n\
         execute: async () => ({{ content: [{{ type: \"text\", text: {text} }}] }}) }});\n"
    )
}

struct On {
    place: Place,
    session: Session,
    notices: Arc<Mutex<Vec<String>>>,
}

const GREET: &str = "project/.toolsmith/tools/greet.ts";

impl On {
    async fn start(place: Place, turns: Value) -> Self {
        Self::start_with(place, turns, |_| {}).await
    }

    async fn start_with(place: Place, turns: Value, change: impl FnOnce(&mut Settings)) -> Self {
        let provider = ScriptedProvider::new(Script::parse(&turns.to_string()).unwrap());
        let model = provider.model().clone();
        let mut settings = place.settings().settings;
        change(&mut settings);
        let session = Session::builder(place.cwd())
            .home(place.home())
            .settings(settings)
            .trust(place.trust.clone())
            .provider(Arc::new(provider), model)
            .built_ins(BuiltIns::None)
            .approval_mode(ApprovalMode::Write)
            .discovery(true)
            .session(SessionSource::Memory)
            .build()
            .await
            .unwrap();
        let notices: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut events = session.subscribe();
        let kept = Arc::clone(&notices);
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                if let AgentEvent::Notice { message } = event.as_ref() {
                    kept.lock().unwrap().push(message.clone());
                }
            }
        });
        Self { place, session, notices }
    }

    /// Runs a prompt; returns the texts of the results.
    async fn results(&self) -> Vec<String> {
        let before = self.session.log().messages().len();
        self.session.run("go").await.unwrap();
        let messages = self.session.log().messages();
        let results = messages[before..].iter().filter_map(|message| match message {
            Message::ToolResult(result) => Some(result),
            _ => None,
        });
        results.map(|result| result.content.iter().filter_map(|block| block.as_text()).collect()).collect()
    }

    fn offered(&self) -> Vec<String> {
        let (_, tools) = self.session.agent().prompt_parts();
        tools.into_iter().map(|tool| tool.name).collect()
    }

    /// Waits for a notice that contains a text.
    async fn noticed(&self, text: &str) -> String {
        loop {
            if let Some(found) = self.notices.lock().unwrap().iter().find(|notice| notice.contains(text)) {
                return found.clone();
            }
            tokio::task::yield_now().await;
        }
    }
}

fn call(name: &str) -> Value {
    json!({ "reply": [{ "call": name }] })
}

fn calls() -> Value {
    json!([call("greet"), "Done.", call("greet"), "Done.", call("greet"), "Done."])
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_2_the_next_call_uses_changed_code() {
    let place = Place::new(&[(GREET, &greeting("'one'", "", ""))]);
    let on = On::start(place, calls()).await;
    assert_eq!(on.results().await, ["one"]);
    on.place.write(GREET, &greeting("'two'", "", ""));
    assert_eq!(on.results().await, ["two"]);
    assert!(on.noticed("Reloaded").await.contains("greet.ts"));
    // Nothing that the model sees changed.
    assert!(!on.notices.lock().unwrap().iter().any(|notice| notice.contains("prompt cache")));
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_2_a_changed_import_is_noticed() {
    let text = greeting("word", "", "import { word } from \"../shared/word.ts\";");
    let place =
        Place::new(&[(GREET, &text), ("project/.toolsmith/shared/word.ts", "export const word = 'one';")]);
    let on = On::start(place, calls()).await;
    assert_eq!(on.results().await, ["one"]);
    on.place.write("project/.toolsmith/shared/word.ts", "export const word = 'two';");
    assert_eq!(on.results().await, ["two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_6_new_code_counts_within_a_turn_and_a_new_schema_with_the_next() {
    let author = r#"import { writeFileSync } from "node:fs";
const code = (text, parameters) => `export default () => ({ name: "greet", description: "Greets", approval: "read",
  parameters: { type: "object", properties: { ${parameters} } },
  execute: async () => ({ content: [{ type: "text", text: "${text}" }] }) });`;
let round = 0;
export default (pi) => ({ name: "author", description: "Writes", approval: "read", concurrency: "exclusive",
  parameters: { type: "object", properties: {} },
  execute: async () => {
    round += 1;
    const file = `${pi.cwd}/.toolsmith/tools/greet.ts`;
    if (round === 1) writeFileSync(file, code("two", ""));
    else writeFileSync(file, code("three", "name: { type: 'string' }"));
    return { content: [{ type: "text", text: "written" }] };
  } });
"#;
    let place =
        Place::new(&[(GREET, &greeting("'one'", "", "")), ("project/.toolsmith/tools/author.ts", author)]);
    let both = json!({ "reply": [{ "call": "author" }, { "call": "greet" }] });
    let on = On::start(place, json!([both, both, call("greet"), "Done."])).await;
    let results = on.results().await;
    assert_eq!(results, ["written", "two", "written", "two", "three"]);
    assert!(on.noticed("with the next turn").await.contains("greet.ts"));
    let cost = on.noticed("prompt cache").await;
    assert!(cost.contains("changed greet"), "{cost}");
    assert!(cost.contains("tokens"), "{cost}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_6_additions_go_to_the_end_and_the_rest_stays_in_place() {
    let place = Place::with_tools(&["project/.toolsmith/tools/m.ts", "project/.toolsmith/tools/z.ts"]);
    let on = On::start(place, json!([call("m"), "Done.", call("a"), "Done.", "Done."])).await;
    on.results().await;
    assert_eq!(on.offered(), ["m", "z"]);
    on.place.write_tool("project/.toolsmith/tools/a.ts");
    on.place.write_tool("project/.toolsmith/tools/b/index.ts");
    on.session.reload_changed_tools().await;
    assert_eq!(on.offered(), ["m", "z", "a", "b"]);
    assert!(on.noticed("prompt cache").await.contains("added a, b"));
    assert_eq!(on.results().await.len(), 1);
    fs::remove_file(on.place.root.join("project/.toolsmith/tools/m.ts")).unwrap();
    on.results().await;
    assert_eq!(on.offered(), ["z", "a", "b"]);
    assert!(on.noticed("removed m").await.contains("prompt cache"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_no_longer_loads_keeps_its_last_working_version() {
    let place = Place::new(&[(GREET, &greeting("'one'", "", ""))]);
    let on = On::start(place, calls()).await;
    assert_eq!(on.results().await, ["one"]);
    on.place.write(GREET, "export default () => {{{");
    let results = on.results().await;
    assert!(results[0].starts_with("one[The file of the tool \"greet\" no longer loads"), "{results:?}");
    assert!(on.noticed("no longer loads").await.contains("Its last working version stays in use"));
    let tools = on.session.tools();
    assert!(tools.iter().find(|tool| tool.name == "greet").unwrap().stale.is_some());
    assert_eq!(on.session.loaded().stale[0].tools, ["greet"]);
    on.place.write(GREET, &greeting("'three'", "", ""));
    assert_eq!(on.results().await, ["three"]);
    assert!(on.session.tools().iter().all(|tool| tool.stale.is_none()));
    on.noticed("Reloaded").await;
    let notices = on.notices.lock().unwrap().clone();
    assert_eq!(notices.iter().filter(|notice| notice.contains("no longer loads")).count(), 1, "{notices:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_hangs_or_fills_the_memory_while_reloading_keeps_its_last_version() {
    for bad in
        ["while (true) {}", "const all = []; while (true) all.push('x'.repeat(1 << 20));", "\u{0}\u{fffd}"]
    {
        let place = Place::new(&[(GREET, &greeting("'one'", "", ""))]);
        let on = On::start_with(place, calls(), |settings| {
            settings.limits.load = std::time::Duration::from_millis(300);
        })
        .await;
        on.results().await;
        on.place.write(GREET, bad);
        assert!(on.results().await[0].starts_with("one["), "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn state_is_handed_over_between_shutdown_and_start() {
    let code = |version: u32| {
        format!(
            "import {{ appendFileSync }} from \"node:fs\";\nlet count = 0;\n\
             export const getState = () => ({{ count, from: {version} }});\n\
             export default (pi) => ({{ name: \"greet\", description: \"Counts\", approval: \"read\",\n\
             parameters: {{ type: \"object\", properties: {{}} }},\n\
             execute: async () => ({{ content: [{{ type: \"text\", text: String(++count) }}] }}),\n\
             onSession(event) {{ count = event.previousState?.count ?? count;\n\
             appendFileSync(`${{pi.cwd}}/heard`, JSON.stringify({{ version: {version}, ...event }}) + \"\\n\"); }} }});\n"
        )
    };
    let place = Place::new(&[(GREET, &code(1))]);
    let on = On::start(place, calls()).await;
    assert_eq!(on.results().await, ["1"]);
    on.place.write(GREET, &code(2));
    assert_eq!(on.results().await, ["2"]);
    let heard = fs::read_to_string(on.place.cwd().join("heard")).unwrap();
    let heard: Vec<Value> = heard.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let state = json!({ "count": 1, "from": 1 });
    assert_eq!(
        heard,
        [
            json!({ "version": 1, "reason": "start" }),
            json!({ "version": 1, "reason": "shutdown" }),
            json!({ "version": 2, "reason": "start", "previousState": state }),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_cannot_be_read_is_reported_and_the_new_code_runs() {
    for state in
        ["{ throw new Error('no state') }", "{ const a = {}; a.a = a; return a; }", "{ while (true) {} }"]
    {
        let more = format!("export function getState() {state}");
        let place = Place::new(&[(GREET, &greeting("'one'", "", &more))]);
        let on = On::start(place, calls()).await;
        on.results().await;
        on.place.write(GREET, &greeting("'two'", "", ""));
        assert_eq!(on.results().await, ["two"], "{state}");
        on.noticed("was not taken over").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_a_new_file_of_an_untrusted_project_does_not_load() {
    let place = Place::new(&[("home/.toolsmith/agent/tools/greet.ts", &greeting("'one'", "", ""))]);
    let on = On::start(place.untrusted(), calls()).await;
    on.results().await;
    let planted = "import { writeFileSync } from 'node:fs'; writeFileSync('planted', '');";
    on.place.write("project/.toolsmith/tools/evil.ts", planted);
    on.results().await;
    assert_eq!(on.offered(), ["greet"]);
    assert_eq!(on.session.loaded().waiting.len(), 1);
    on.noticed("waits for trust").await;
    assert!(!on.place.cwd().join("planted").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_4_the_approval_tier_is_that_of_the_new_definition() {
    let place = Place::new(&[(GREET, &greeting("'one'", "", ""))]);
    let on = On::start(place, calls()).await;
    assert_eq!(on.results().await, ["one"]);
    on.place.write(GREET, &greeting("'two'", "", "").replace("\"read\"", "\"exec\""));
    let results = on.results().await;
    assert!(!results[0].contains("two"), "exec needs approval, and nobody can be asked: {results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reloading_can_be_switched_off() {
    let place = Place::new(&[(GREET, &greeting("'one'", "", ""))]);
    let on = On::start_with(place, calls(), |settings| settings.tools.reload = false).await;
    assert_eq!(on.results().await, ["one"]);
    on.place.write(GREET, &greeting("'two'", "", ""));
    assert_eq!(on.results().await, ["one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c8_6_an_action_staged_by_the_old_code_can_still_be_applied() {
    let staging = r#"export default (pi) => ({ name: "greet", description: "Stages", approval: "read", deferrable: true,
  parameters: { type: "object", properties: {} },
  execute: async () => {
    pi.pushPendingAction({ label: "old", apply: async () => ({ content: [{ type: "text", text: "applied by the old" }] }) });
    return { content: [{ type: "text", text: "staged" }] };
  } });"#;
    let place = Place::new(&[(GREET, staging)]);
    let on = On::start(place, json!([call("greet"), "Done.", call("greet"), "Done."])).await;
    on.session.run("go").await.unwrap();
    assert!(!on.session.pending_actions().is_empty());
    on.place.write(GREET, &greeting("'two'", "", ""));
    on.session.reload_changed_tools().await;
    let applied = on.session.apply_pending(toolsmith_agent::PendingChoice::Top, None, "test").await.unwrap();
    assert_eq!(applied.joined_text(), "applied by the old");
    on.session.drop_pending("test").await;
    // Nothing keeps the old version now.
    while on.session.engine_stats().threads > 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_watcher_reports_a_change_without_a_turn() {
    let place = Place::new(&[(GREET, &greeting("'one'", "", ""))]);
    let on = On::start(place, calls()).await;
    on.results().await;
    on.session.watch_tools();
    on.place.write(GREET, &greeting("'two'", "", ""));
    on.noticed("Reloaded").await;
    on.session.dispose().await;
}

/// `cargo xtask bench reloads` measures the memory of ten thousand.
#[tokio::test(flavor = "multi_thread")]
async fn many_reloads_leave_no_old_version_running() {
    let code = |round: usize| {
        let more = "let kept = 'x'.repeat(100_000);\nexport const getState = () => ({ kept });";
        greeting(&format!("'{round}'"), "", more)
    };
    let place = Place::new(&[(GREET, &code(0))]);
    let on = On::start(place, json!(["Done."])).await;
    assert_eq!(on.session.engine_stats().threads, 1);
    for round in 1..=60 {
        on.place.write(GREET, &code(round));
        on.session.reload_changed_tools().await;
        let tool = on.session.loaded().tools[0].tool.clone();
        let result = tool
            .execute(toolsmith_tool::ToolCall::new("1", json!({})), toolsmith_tool::ToolContext::detached());
        assert_eq!(result.await.unwrap().joined_text(), round.to_string());
    }
    // A version ends when its calls are over; its thread needs a moment after that.
    while on.session.engine_stats().threads > 1 {
        tokio::task::yield_now().await;
    }
    let stats = on.session.engine_stats();
    assert_eq!((stats.threads, stats.abandoned), (1, 0));
    let loaded = on.session.loaded();
    assert_eq!((loaded.tools.len(), loaded.errors.len(), loaded.stale.len()), (1, 0, 0));
}
