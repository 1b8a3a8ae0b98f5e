//! Loads of modules that are recorded and replayed with the calls.

use std::{fs, sync::Arc};

use serde_json::json;
use toolsmith_js::{Engine, EngineOptions, Limits};
use toolsmith_tool::{CallTape, LoadRecording, Recording, Tool, ToolCall, ToolContext};

use crate::project::Project;

/// A module that asks for something of every kind while it is loaded, at the top and in the factory.
const LOADING: &str = r#"
  import { readFileSync } from "node:fs";
  import { execFileSync } from "node:child_process";
  const top = [Date.now(), Math.random(), process.env.HOME, execFileSync("sh", ["-c", "echo $$; touch loaded"]).toString()];
  const later = (async () => { await new Promise((done) => setTimeout(done, 5)); return readFileSync(`${process.cwd()}/in.txt`, "utf8"); })();
  let calls = 0;
  export default async (pi) => {
    const { stdout } = await pi.exec("sh", ["-c", "echo factory $$"]);
    const made = [new Date().toISOString(), Math.random(), readFileSync(`${pi.cwd}/in.txt`, "utf8"), stdout];
    return { name: "t", description: "d", parameters: { type: "object" },
      async execute() {
        const text = JSON.stringify([top, made, await later, Math.random(), ++calls]);
        return { content: [{ type: "text", text }] };
      } };
  };
"#;

fn project(files: &[(&str, &str)]) -> Project {
    Project::with_options(Limits::default(), files, |options| options.recordable(true))
}

async fn execute(tool: &Arc<dyn Tool>, tape: &CallTape) -> String {
    let context = ToolContext::detached().with_tape(tape.clone());
    match tool.execute(ToolCall::new("1", json!({})), context).await {
        Ok(result) => result.joined_text(),
        Err(error) => error.to_string(),
    }
}

/// Records a call. The recording crosses a file as JSON.
async fn recorded(tool: &Arc<dyn Tool>) -> (String, Recording) {
    let tape = CallTape::record(1 << 20);
    let text = execute(tool, &tape).await;
    let recording = serde_json::to_string(&tape.take()).unwrap();
    (text, serde_json::from_str(&recording).unwrap())
}

fn load(recording: &Recording) -> LoadRecording {
    LoadRecording::clone(recording.load.as_ref().expect("the load was recorded"))
}

/// An engine that only replays, and loads the module from a recording.
fn replaying(project: &Project, load: LoadRecording) -> Engine {
    Engine::new(EngineOptions::new(&project.root).replaying(true).load_from(project.path("t.ts"), load))
}

async fn only_tool(engine: &Engine, project: &Project) -> Arc<dyn Tool> {
    let module = engine.load(&[project.path("t.ts")]).await.remove(0);
    assert!(module.errors.is_empty(), "{:#?}", module.errors);
    Arc::clone(&module.tools[0].tool)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_module_is_loaded_from_its_recording() {
    let project = project(&[("t.ts", LOADING), ("in.txt", "read")]);
    let tool = project.tool("t.ts").await;
    let (first, one) = recorded(&tool).await;
    let (second, two) = recorded(&tool).await;
    assert_eq!(one.load, two.load, "both calls have the load of their instance");
    for name in ["in.txt", "loaded"] {
        fs::remove_file(project.path(name)).unwrap();
    }
    for _ in 0..2 {
        let tool = only_tool(&replaying(&project, load(&one)), &project).await;
        for (expected, recording) in [(&first, &one), (&second, &two)] {
            let tape = CallTape::play_back(recording.clone());
            assert_eq!(execute(&tool, &tape).await, *expected);
            assert_eq!(tape.end(), Default::default());
        }
    }
    assert!(!project.path("loaded").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_replayed_in_an_instance_with_its_own_load() {
    let project = project(&[("t.ts", LOADING), ("in.txt", "read")]);
    let mut calls = Vec::new();
    for _ in 0..2 {
        let tool = project.tool("t.ts").await;
        calls.push(recorded(&tool).await);
        calls.push(recorded(&tool).await);
    }
    fs::remove_file(project.path("in.txt")).unwrap();
    let tool = only_tool(&replaying(&project, load(&calls[0].1)), &project).await;
    for (expected, recording) in &calls {
        let tape = CallTape::play_back(recording.clone());
        assert_eq!(execute(&tool, &tape).await, *expected);
        assert_eq!(tape.end(), Default::default());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_that_asks_for_something_else_fails_and_names_it() {
    let caught = "let said = 'none'; try { process.env.OTHER_VARIABLE; } catch (error) { said = error.message; }\n\
                  export default () => ({ name: 't', description: 'd', parameters: { type: 'object' },\n\
                  execute: async () => ({ content: [{ type: 'text', text: said }] }) });";
    let project = project(&[("t.ts", LOADING), ("in.txt", "read")]);
    let (_, recording) = recorded(&project.tool("t.ts").await).await;
    let mut edited = load(&recording);
    edited.asked.exchanges.retain(|exchange| !exchange.ask.contains("fs"));
    let module = replaying(&project, edited).load(&[project.path("t.ts")]).await.remove(0);
    let error = module.errors[0].to_string();
    assert!(error.contains("not in the recording") && error.contains("in.txt"), "{error}");

    // Also if the module goes on.
    fs::write(project.path("t.ts"), caught).unwrap();
    let tool = only_tool(&replaying(&project, load(&recording)), &project).await;
    let tape = CallTape::play_back(recording);
    let said = execute(&tool, &tape).await;
    assert!(said.contains("not in the recording: variable OTHER_VARIABLE"), "{said}");
    assert!(tape.end().missing.iter().any(|asked| asked.contains("OTHER_VARIABLE")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_that_reads_too_much_makes_its_calls_incomplete() {
    let module = "import { readFileSync } from 'node:fs';\n\
                  for (let at = 0; at < 9; at++) readFileSync(`${process.cwd()}/big.txt`);\n\
                  export default () => ({ name: 't', description: 'd', parameters: { type: 'object' },\n\
                  execute: async () => ({ content: [{ type: 'text', text: 'done' }] }) });";
    let project = project(&[("t.ts", module), ("big.txt", &"x".repeat(1 << 20))]);
    let (text, recording) = recorded(&project.tool("t.ts").await).await;
    assert_eq!((text.as_str(), recording.load), ("done", None));
    assert!(recording.incomplete.unwrap().contains("too large"));
}

/// Hooks and a module that the call imports ask for something.
const AROUND: &str = r#"
  const asked = [];
  export default (pi) => ({ name: "t", description: "d", parameters: { type: "object" },
    async approval() { asked.push(Math.random(), (await pi.exec("sh", ["-c", "echo $$"])).stdout); return "read"; },
    prepareArguments(given) { asked.push(process.env.HOME); return given; },
    async execute() {
      const late = await import("./late.ts");
      return { content: [{ type: "text", text: JSON.stringify([asked, late.value, await late.more]) }] };
    } });
"#;
const LATE: &str = r#"
  import { readFileSync, promises } from "node:fs";
  export const value = [Math.random(), readFileSync(`${process.cwd()}/in.txt`, "utf8")];
  export const more = (await promises.readFile(`${process.cwd()}/in.txt`, "utf8")) + Math.random();
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hooks_and_imports_of_a_call_are_part_of_it() {
    async fn whole_call(tool: &Arc<dyn Tool>, tape: &CallTape) -> String {
        let context = ToolContext::detached().with_tape(tape.clone());
        let tool = tool.bind(&context).expect("the hooks have the tape of the call");
        tool.prepare_arguments(&json!({})).await;
        assert_eq!(tool.approval(&json!({})).await.tier, toolsmith_tool::Tier::Read);
        execute(&tool, tape).await
    }
    let project = project(&[("t.ts", AROUND), ("late.ts", LATE), ("in.txt", "read")]);
    let tape = CallTape::record(1 << 20);
    let expected = whole_call(&project.tool("t.ts").await, &tape).await;
    let recording = tape.take();
    fs::remove_file(project.path("in.txt")).unwrap();
    let tool = only_tool(&replaying(&project, load(&recording)), &project).await;
    let tape = CallTape::play_back(recording);
    assert_eq!(whole_call(&tool, &tape).await, expected);
    assert_eq!(tape.end(), Default::default());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replayed_module_that_needs_node_is_not_loaded_there() {
    if !toolsmith_testkit::has_program("node") {
        return;
    }
    let simple = r#"export default () => ({ name: "t", description: "d", parameters: { type: "object" }, execute: async () => ({ content: [] }) });"#;
    let project = project(&[("t.ts", simple)]);
    let (_, recording) = recorded(&project.tool("t.ts").await).await;
    let writing = r#"import { Worker } from "node:worker_threads"; import { writeFileSync } from "node:fs";
      new Worker("1", { eval: true }); try { writeFileSync("written", "") } catch {}
    "#;
    fs::write(project.path("t.ts"), format!("{writing}{simple}")).unwrap();
    let module = replaying(&project, load(&recording)).load(&[project.path("t.ts")]).await.remove(0);
    assert!(!module.errors.is_empty() || !module.notes.is_empty(), "{:?}", module.tools);
    assert!(!project.path("written").exists());
}
