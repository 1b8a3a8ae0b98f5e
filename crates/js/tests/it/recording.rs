//! Calls that are recorded and replayed: the same result, without the surroundings.

use std::{fs, sync::Arc};

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::{
    Answer, CallTape, Exchange, Recording, Tool, ToolCall, ToolContext, ToolError, ToolResult,
};

use crate::project::{Project, tool_source};

fn project(body: &str) -> Project {
    Project::with_options(
        Limits::default(),
        &[("t.ts", &tool_source(body)), ("in.txt", "read\u{e9}")],
        |options| options.recordable(true),
    )
}

async fn run(tool: &Arc<dyn Tool>, tape: &CallTape) -> Result<ToolResult, ToolError> {
    tool.execute(ToolCall::new("1", json!({})), ToolContext::detached().with_tape(tape.clone())).await
}

async fn recorded(project: &Project) -> (String, Recording) {
    let tape = CallTape::record(1 << 20);
    let tool = project.tool("t.ts").await;
    let result = run(&tool, &tape).await.unwrap();
    (result.joined_text(), tape.take())
}

/// Asks for programs in every way that is not part of the call itself.
const AROUND: &str = r#"
  import { writeFileSync } from "node:fs";
  let jobs;
  const queue = new Promise((resolve) => (jobs = resolve)).then((name) => leave(name));
  function leave(name) { writeFileSync(`${here}/${name}`, ""); return name; }
  let here;
  export default (pi) => {
    here = pi.cwd;
    pi.events.on("job", (name) => leave(name));
    return {
      name: "t", description: "d", parameters: { type: "object", properties: {} },
      approval() { leave("approval"); return "read"; },
      async execute() {
        const said = [];
        try { said.push((await import("./late.ts")).default(here)); } catch (error) { said.push(error.message); }
        jobs("queue");
        try { said.push(await queue); } catch (error) { said.push(error.message); }
        pi.events.emit("job", "event");
        return { content: [{ type: "text", text: said.join("; ") }] };
      },
    };
  };
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_refuses_what_is_asked_outside_of_the_call() {
    let late = "import { writeFileSync } from 'node:fs'; import { tmpdir } from 'node:os';\n\
                const early = (() => { try { writeFileSync('late-top-level', ''); return 'ran'; } catch (error) { return error.message; } })();\n\
                export default () => early;";
    let project =
        Project::with_options(Limits::default(), &[("t.ts", AROUND), ("late.ts", late)], |options| {
            options.replaying(true)
        });
    let tool = project.tool("t.ts").await;
    tool.approval(&json!({})).await;
    let tape = CallTape::play_back(Recording::default());
    let said = run(&tool, &tape).await.unwrap().joined_text();
    for name in ["queue", "event", "approval", "late-top-level"] {
        assert!(!project.path(name).exists(), "{name}: {said}");
    }
    assert!(said.contains("not in the recording: "), "{said}");
    let missing = tape.end().missing;
    assert!(missing.iter().any(|asked| asked.ends_with(", outside of the call")), "{missing:?} {said}");
}

/// Asks for something of every kind.
const EVERYTHING: &str = r#"
  const fs = await import("node:fs");
  const { execFileSync, spawn } = await import("node:child_process");
  const os = await import("node:os");
  const file = fs.readFileSync(`${pi.cwd}/in.txt`, "utf8");
  const later = await fs.promises.readFile(`${pi.cwd}/in.txt`);
  fs.writeFileSync(`${pi.cwd}/out.txt`, "written");
  const missing = (() => { try { fs.readFileSync(`${pi.cwd}/missing`); } catch (error) { return [error.code, error.message]; } })();
  const ran = await pi.exec("sh", ["-c", "echo $$; date +%N; touch ran"]);
  const now = execFileSync("sh", ["-c", "echo sync $$"]).toString();
  const child = spawn("sh", ["-c", "echo streamed $$; exit 3"]);
  let streamed = "";
  child.stdout.on("data", (piece) => (streamed += piece));
  const code = await new Promise((resolve) => child.on("close", resolve));
  const text = JSON.stringify([file, [...later], missing, ran, now, streamed, code, Date.now(), new Date().toISOString(),
    Math.random(), crypto.randomUUID(), performance.now(), process.env.HOME, process.env.NOT_THERE ?? null, os.uptime()]);
  return { content: [{ type: "text", text }] };
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_gives_the_same_result_without_files_and_programs() {
    let project = project(EVERYTHING);
    let (first, recording) = recorded(&project).await;
    assert_eq!(recording.incomplete, None);
    // It crosses a file as JSON.
    let recording: Recording = serde_json::from_str(&serde_json::to_string(&recording).unwrap()).unwrap();
    for name in ["in.txt", "out.txt", "ran"] {
        fs::remove_file(project.path(name)).unwrap();
    }
    for _ in 0..2 {
        let tape = CallTape::play_back(recording.clone());
        let again = run(&project.tool("t.ts").await, &tape).await.unwrap();
        assert_eq!(again.joined_text(), first);
        assert_eq!(tape.end(), Default::default());
    }
    assert!(!project.path("out.txt").exists() && !project.path("ran").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_that_asks_for_something_else_fails_and_names_it() {
    let first = project("return { content: [] };");
    let (_, recording) = recorded(&first).await;
    for (body, named) in [
        ("await pi.exec('touch', ['planted']); return { content: [] };", "exec"),
        (
            "(await import('node:fs')).writeFileSync(`${pi.cwd}/planted`, ''); return { content: [] };",
            "fsNow",
        ),
        ("await fetch('http://127.0.0.1:1/'); return { content: [] };", "fetchStart"),
        ("Math.random(); return { content: [] };", "random"),
        ("process.env.HOME; return { content: [] };", "variable HOME"),
    ] {
        let project = project(body);
        let tape = CallTape::play_back(recording.clone());
        let error = run(&project.tool("t.ts").await, &tape).await.unwrap_err().to_string();
        assert!(error.contains("not in the recording") && error.contains(named), "{body}: {error}");
        assert!(tape.end().missing[0].contains(named));
        assert!(!project.path("planted").exists());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_that_was_edited_by_hand_harms_nothing() {
    let project = project(
        "return { content: [{ type: 'text', text: String((await import('node:fs')).readFileSync('/etc/hostname')) }] };",
    );
    let answers = [
        Answer::Returns(json!({ "$hex": "zz" })),
        Answer::Returns(json!({ "$text": 5 })),
        Answer::Returns(json!([[[[[[{}]]]]]])),
        Answer::Throws(json!(null)),
        Answer::Resolves(json!("late")),
        Answer::Rejects(json!({ "message": "x".repeat(1 << 20) })),
        Answer::Pending(true),
    ];
    let (_, recording) = recorded(&project).await;
    for answer in answers {
        let mut edited = recording.clone();
        for exchange in &mut edited.exchanges {
            exchange.answer = answer.clone();
        }
        edited.exchanges.push(Exchange { ask: "\u{0}".to_owned(), args: vec![], answer });
        let tape = CallTape::play_back(edited);
        // Any result or error will do.
        let _ = run(&project.tool("t.ts").await, &tape).await;
    }
    assert_eq!(project.engine.stats().abandoned, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_calls_at_once_are_recorded_apart() {
    let project = project(
        "const fs = await import('node:fs'); await new Promise((done) => setTimeout(done, 5));\n\
         return { content: [{ type: 'text', text: fs.readFileSync(`${pi.cwd}/in.txt`, 'utf8') + toolCallId }] };",
    );
    let tool = project.tool("t.ts").await;
    let (one, two) = (CallTape::record(1 << 20), CallTape::record(1 << 20));
    let (first, second) = tokio::join!(run(&tool, &one), run(&tool, &two));
    assert!(first.is_ok() == second.is_ok());
    let (one, two) = (one.take(), two.take());
    let reads =
        |recording: &Recording| recording.exchanges.iter().filter(|exchange| exchange.ask == "fsNow").count();
    assert_eq!(reads(&one), reads(&two));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_reads_too_much_is_not_recorded_and_still_answers() {
    let project = project(
        "const fs = await import('node:fs'); for (let i = 0; i < 200; i++) fs.readFileSync(`${pi.cwd}/in.txt`);\n\
         return { content: [{ type: 'text', text: 'done' }] };",
    );
    let tape = CallTape::record(2_000);
    let result = run(&project.tool("t.ts").await, &tape).await.unwrap();
    assert_eq!(result.joined_text(), "done");
    assert!(tape.take().incomplete.is_some());
}
