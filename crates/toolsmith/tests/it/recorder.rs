//! A session with two tools that write down what they hear: one in TypeScript in the real engine, and one in Rust. Both find
//! their count again in the path to the leaf, as a tool with state does.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use toolsmith::{BuiltIns, Session, SessionBuilder, SessionSource};
use toolsmith_agent::ApprovalMode;
use toolsmith_llm::{Script, ScriptedProvider};
use toolsmith_tool::{
    SessionEvent, SessionView, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use crate::place::Place;

/// Hears everything, and counts its calls.
pub(crate) const RECORDER: &str = r#"import { appendFileSync } from "node:fs";

let count = 0;
function rebuild(ctx) {
  count = 0;
  for (const entry of ctx.sessionManager.getBranch()) {
    if (entry.type !== "message" || entry.message.role !== "toolResult") continue;
    if (entry.message.toolName === "counter") count = entry.message.details.count;
  }
}

export default (pi) => ({
  name: "counter",
  label: "Count",
  description: "Counts its calls",
  approval: "read",
  parameters: { type: "object", properties: {} },
  async execute(id, params, onUpdate, ctx) {
    count += 1;
    return { content: [{ type: "text", text: `${count}` }], details: { count } };
  },
  async onSession(event, ctx) {
    await null;
    rebuild(ctx);
    const file = ctx.sessionManager.getSessionFile() ?? null;
    appendFileSync(`${pi.cwd}/heard.jsonl`, JSON.stringify({ event, count, file }) + "\n");
  },
});
"#;

/// The same in Rust, with nothing to call.
#[derive(Debug)]
struct Listener {
    spec: ToolSpec,
    heard: Arc<Mutex<Vec<Value>>>,
}

fn counted(view: &dyn SessionView) -> Value {
    let mine = |entry: &Value| entry["message"]["toolName"] == "counter" && entry["type"] == "message";
    let last = view.branch(None).into_iter().rfind(mine);
    last.map_or(json!(0), |entry| entry["message"]["details"]["count"].clone())
}

#[async_trait]
impl Tool for Listener {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    async fn execute(&self, _: ToolCall, _: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::text("nothing"))
    }
    async fn on_session(&self, event: &SessionEvent, context: &ToolContext) -> Result<(), ToolError> {
        let heard = json!({
            "event": event.to_json(),
            "count": counted(&*context.session),
            "file": context.session.session_file(),
        });
        self.heard.lock().unwrap().push(heard);
        Ok(())
    }
}

/// A session, and what its tools heard.
pub(crate) struct Recording {
    pub(crate) place: Place,
    pub(crate) session: Session,
    heard: Arc<Mutex<Vec<Value>>>,
    /// How many events came before each step.
    steps: Vec<(usize, String)>,
}

impl Recording {
    pub(crate) async fn start(turns: &Value) -> Self {
        Self::start_with(turns, |builder, _| builder).await
    }

    /// `more` says what else the session has.
    pub(crate) async fn start_with(
        turns: &Value,
        more: impl FnOnce(SessionBuilder, &Place) -> SessionBuilder,
    ) -> Self {
        let place = Place::new(&[("project/recorder.ts", RECORDER)]);
        let provider = ScriptedProvider::new(Script::parse(&turns.to_string()).unwrap());
        let model = provider.model().clone();
        let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
        let listener = Listener { spec: ToolSpec::new("listener", "Listens."), heard: Arc::clone(&heard) };
        let builder = Session::builder(place.cwd())
            .home(place.home())
            .provider(Arc::new(provider), model)
            .built_ins(BuiltIns::None)
            .approval_mode(ApprovalMode::Yolo)
            .tool(Arc::new(listener))
            .session(SessionSource::New);
        let session = more(builder, &place).tool_path(place.cwd().join("recorder.ts")).build().await.unwrap();
        assert!(session.loaded().errors.is_empty(), "{:?}", session.loaded().errors);
        let steps = vec![(0, "start".to_owned())];
        Self { place, session, heard, steps }
    }

    /// Says what is done next.
    pub(crate) fn step(&mut self, what: &str) -> &Session {
        self.steps.push((self.heard.lock().unwrap().len(), what.to_owned()));
        &self.session
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.session.log().file().unwrap().to_path_buf()
    }

    /// What the module wrote down.
    pub(crate) fn written(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.place.cwd().join("heard.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Ends the session and compares everything that was heard with a snapshot.
    pub(crate) async fn check(mut self, name: &str) {
        self.step("dispose");
        self.session.dispose().await;
        let heard = self.heard.lock().unwrap().clone();
        assert_eq!(self.written(), heard, "{name}: both tools hear the same");

        // Files by the order in which they appear.
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut name_of = |value: &Value| match value.as_str() {
            Some(path) => {
                let next = format!("file {}", names.len() + 1);
                names.entry(path.to_owned()).or_insert(next).clone()
            }
            None => "no file".to_owned(),
        };
        let mut text = String::new();
        let mut steps = self.steps.iter().peekable();
        for number in 0..=heard.len() {
            while let Some((_, what)) = steps.next_if(|(at, _)| *at == number) {
                text += &format!("# {what}\n");
            }
            if let Some(one) = heard.get(number) {
                let mut event = one["event"].clone();
                let file = name_of(&one["file"]);
                if !event["previousSessionFile"].is_null() {
                    event["previousSessionFile"] = name_of(&event["previousSessionFile"]).into();
                }
                text += &format!("{event} in {file}, count {}\n", one["count"]);
            }
        }
        // And entries by their place.
        for (at, row) in self.session.tree().iter().enumerate() {
            text = text.replace(&row.id, &format!("entry {at}"));
        }
        insta::assert_snapshot!(name, text);
    }
}
