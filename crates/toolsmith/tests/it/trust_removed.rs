//! Trust that is removed while a session runs: nothing of the project is run any more (CONTRACT 2.8).

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use toolsmith::{
    ApprovalMode, FoundHook, HookOptions, ModelChoice, Session, TrustDecision, discover_hooks,
    mcp_configuration, trust_store,
};
use toolsmith_agent::{AgentEvent, PendingChoice};
use toolsmith_llm::{Script, ScriptedProvider};
use toolsmith_testkit::{ModelServer, Reply, has_program};
use toolsmith_tool::CancelToken;

use crate::{place::Place, session_place::results};

const LOST: &str = "not trusted any more";

/// A project that the user's list trusts.
fn trusted_place(files: &[(&str, &str)]) -> Place {
    let mut place = Place::new(files);
    trust_store(&place.home()).add(&place.cwd()).unwrap();
    place.trust = TrustDecision::from_store(trust_store(&place.home())).unwrap();
    place
}

fn remove_trust(place: &Place) {
    assert!(trust_store(&place.home()).remove(&place.cwd()).unwrap());
}

fn add_trust(place: &Place) {
    trust_store(&place.home()).add(&place.cwd()).unwrap();
}

/// The lines that code of the project wrote.
fn ran(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.path("ran")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// A session with all parts of the project, and its notices. The model makes one call for each prompt.
async fn start(place: &Place, calls: &[Value]) -> (Session, Arc<Mutex<Vec<String>>>) {
    let turns: Vec<Value> =
        calls.iter().flat_map(|call| [json!({ "reply": [call] }), json!("Done.")]).collect();
    let model = ScriptedProvider::new(Script::parse(&json!(turns).to_string()).unwrap());
    let settings = place.settings().settings;
    let servers = mcp_configuration(&place.cwd(), &place.home(), &settings, &place.trust).servers;
    let session = Session::builder(place.cwd())
        .home(place.home())
        .settings(settings)
        .trust(place.trust.clone())
        .provider(Arc::new(model.clone()), model.model().clone())
        .approval_mode(ApprovalMode::Yolo)
        .mcp_servers(servers)
        .discovery(true)
        .build()
        .await
        .unwrap();
    let notices: Arc<Mutex<Vec<String>>> = Arc::default();
    let (mut events, kept) = (session.subscribe(), Arc::clone(&notices));
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            if let AgentEvent::Notice { message } = event.as_ref() {
                kept.lock().unwrap().push(message.clone());
            }
        }
    });
    (session, notices)
}

/// Runs a prompt with one call; returns whether the call failed, and the text of its result.
async fn result(session: &Session) -> (bool, String) {
    session.run("go").await.unwrap();
    results(session).last().unwrap().clone()
}

/// Waits for a notice that contains a text.
async fn noticed(notices: &Mutex<Vec<String>>, text: &str) -> String {
    loop {
        if let Some(found) = notices.lock().unwrap().iter().find(|notice| notice.contains(text)) {
            return found.clone();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_hooks_that_lost_their_trust_do_not_run_and_guards_block_their_calls() {
    let place = trusted_place(&[]);
    for hook in ["pre/ls.sh", "post/ls.sh", "post/find.sh"] {
        let text = format!("#!/bin/sh\necho {hook} >> {}\n", place.path("ran").display());
        place.write_program(&format!("project/.toolsmith/hooks/{hook}"), &text);
    }
    let options = HookOptions::new(place.cwd(), place.home()).trust(place.trust.clone());
    let found = discover_hooks(&options);
    let waiting: Vec<&FoundHook> = found.waiting().collect();
    found.decide(&place.home(), &waiting, true).unwrap();
    let (ls, find) = (json!({ "call": "ls" }), json!({ "call": "find", "arguments": { "pattern": "*" } }));
    let (session, notices) = start(&place, &[ls.clone(), ls.clone(), find.clone(), find, ls]).await;

    assert!(!result(&session).await.0);
    assert_eq!(ran(&place), ["pre/ls.sh", "post/ls.sh"]);
    remove_trust(&place);
    let (is_error, text) = result(&session).await;
    assert!(is_error && text.contains("ls.sh") && text.contains(LOST), "{text}");
    // A hook that only reads results is skipped, with one notice.
    assert!(!result(&session).await.0 && !result(&session).await.0);
    assert!(noticed(&notices, "find.sh").await.contains(LOST));
    assert_eq!(notices.lock().unwrap().iter().filter(|notice| notice.contains("find.sh")).count(), 1);
    assert_eq!(ran(&place).len(), 2);
    // Confirming hooks does not remove the guards of a project that is not trusted.
    session.decide_hooks(&session.find_hooks(), &[], true).unwrap();
    add_trust(&place);
    assert!(!result(&session).await.0);
    assert_eq!(ran(&place).len(), 4);
}

/// An extension that notes which of its handlers run.
fn noting(place: &Place, events: &[&str]) -> String {
    let (file, events) = (place.path("ran").display().to_string(), json!(events));
    format!(
        "import {{ appendFileSync }} from \"node:fs\";\n\
         const note = (what) => appendFileSync({file:?}, `${{what}}\\n`);\n\
         export default (pi) => {{\n\
         for (const event of {events}) pi.on(event, () => note(event));\n\
         pi.registerCommand(\"noted\", {{ description: \"d\", handler: async () => note(\"command\") }});\n}};\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_no_event_command_or_end_reaches_an_extension_that_lost_its_trust() {
    for reloads in [true, false] {
        let place = trusted_place(&[]);
        let events = ["input", "turn_start", "message_end", "tool_result", "agent_end", "session_shutdown"];
        place.write("project/.toolsmith/extensions/notes.ts", &noting(&place, &events));
        let user = "home/.toolsmith/config.toml";
        place.write(user, &format!("[tools]\nreload = {reloads}\n"));
        let (session, notices) = start(&place, &[json!({ "call": "ls" }), json!({ "call": "ls" })]).await;
        assert!(!result(&session).await.0);
        let before = ran(&place);
        assert!(
            before.contains(&"input".to_owned()) && before.contains(&"tool_result".to_owned()),
            "{before:?}"
        );
        remove_trust(&place);
        let error = session.run_command("noted", "", CancelToken::new()).await.unwrap_err();
        assert!(error.to_string().contains("unknown command"), "{error}");
        assert!(!result(&session).await.0);
        assert!(noticed(&notices, "notes.ts").await.contains(LOST));
        session.dispose().await;
        assert_eq!(ran(&place), before, "reloads: {reloads}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_an_extension_that_guarded_calls_blocks_them_when_its_trust_is_removed() {
    let place = trusted_place(&[]);
    place.write("project/.toolsmith/extensions/guard.ts", &noting(&place, &["tool_call"]));
    let calls = [json!({ "call": "ls" }), json!({ "call": "ls" }), json!({ "call": "ls" })];
    let (session, notices) = start(&place, &calls).await;
    assert!(!result(&session).await.0);
    assert_eq!(ran(&place), ["tool_call"]);
    remove_trust(&place);
    let (is_error, text) = result(&session).await;
    assert!(is_error && text.contains("guard.ts") && text.contains(LOST), "{text}");
    assert!(noticed(&notices, "guards tool calls").await.contains("guard.ts"));
    assert_eq!(ran(&place).len(), 1);
    add_trust(&place);
    assert!(!result(&session).await.0);
    assert_eq!(ran(&place).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_staged_actions_of_a_module_that_lost_its_trust_are_void() {
    let staging = r#"import { appendFileSync } from "node:fs";
      const note = (text) => appendFileSync("../ran", text + "\n");
      export default (pi) => ({ name: "stage", description: "d", parameters: { type: "object", properties: {} },
        async execute() {
          pi.pushPendingAction({ label: "files", files: [{ path: "STAGED", content: "x" }] });
          pi.pushPendingAction({ label: "code", apply: () => note("apply"), reject: () => note("reject") });
          pi.pushPendingAction({ label: "more code", apply: () => note("apply"), reject: () => note("reject") });
          return { content: [] };
        } });"#;
    let place = trusted_place(&[("project/.toolsmith/tools/stage.ts", staging)]);
    let (session, _) = start(&place, &[json!({ "call": "stage" })]).await;
    assert!(!result(&session).await.0);
    assert_eq!(session.pending_actions().len(), 3);
    remove_trust(&place);
    session.discard_pending(PendingChoice::Top, "no").await.unwrap();
    for _ in 0..2 {
        let error = session.apply_pending(PendingChoice::Top, None, "yes").await.unwrap_err();
        assert!(error.to_string().contains(LOST), "{error}");
    }
    assert!(session.pending_actions().is_empty() && ran(&place).is_empty());
    assert!(!place.path("project/STAGED").exists());
}

/// An MCP server with one tool, which notes its calls.
const SERVER: &str = r#"
import json, os, sys
open("pid", "w").write(str(os.getpid()))
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if id is None:
        continue
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "note", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        open("../ran", "a").write("call\n")
        result = {"content": [{"type": "text", "text": "noted"}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "unknown"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
"#;

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_mcp_servers_that_lost_their_trust_are_stopped_and_their_tools_removed() {
    if !has_program("python3") {
        return;
    }
    let place = trusted_place(&[("project/server.py", SERVER)]);
    let entry = json!({ "mcpServers": { "notes": { "command": "python3", "args": ["-I", "server.py"] } } });
    place.write("project/.mcp.json", &entry.to_string());
    let call = json!({ "call": "mcp__notes__note" });
    let (session, notices) = start(&place, &[call.clone(), call.clone(), call]).await;
    let servers = session.mcp().unwrap().clone();
    servers.start("notes").await.unwrap();
    let names: Vec<String> = session.tools().iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(result(&session).await, (false, "noted".to_owned()), "{names:?}");
    let process = Path::new("/proc").join(fs::read_to_string(place.path("project/pid")).unwrap());
    assert!(process.exists());

    remove_trust(&place);
    let (is_error, text) = result(&session).await;
    assert!(is_error && text.contains("not found"), "{text}");
    assert!(!process.exists(), "the server still runs");
    assert!(noticed(&notices, "MCP server notes").await.contains("mcp__notes__note"));
    assert!(servers.start("notes").await.unwrap_err().to_string().contains(LOST));
    assert!(servers.restart("notes").await.unwrap_err().to_string().contains(LOST));
    assert_eq!(ran(&place), ["call"]);

    add_trust(&place);
    assert_eq!(result(&session).await, (false, "noted".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_shell_commands_of_markdown_commands_do_not_run_after_trust_was_removed() {
    let place = trusted_place(&[("project/.toolsmith/commands/note.md", "Noted: !`echo x >> ../ran`\n")]);
    let (session, _) = start(&place, &[json!({ "call": "ls" })]).await;
    session.run_command("note", "", CancelToken::new()).await.unwrap();
    assert_eq!(ran(&place), ["x"]);
    remove_trust(&place);
    let error = session.run_command("note", "", CancelToken::new()).await.unwrap_err();
    assert!(error.to_string().contains("is not trusted"), "{error}");
    assert_eq!(ran(&place), ["x"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_a_provider_ends_with_the_extension_that_lost_its_trust() {
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::new().text("Hello."));
    let place = trusted_place(&[]);
    let module = format!(
        r#"export default (pi) => {{ for (const name of ["one", "two"]) pi.registerProvider(name, {{ api: "openai-completions",
          baseUrl: "{}", apiKey: "!echo key >> {}; echo k", models: [{{ id: "m" }}] }}); }};"#,
        server.url(),
        place.path("ran").display()
    );
    place.write("project/.toolsmith/extensions/own.ts", &module);
    let (session, _) = start(&place, &[json!({ "call": "ls" })]).await;
    let is_listed =
        || session.agent().tool_context().agent.models().iter().any(|model| model["provider"] == "two");
    session.set_model("one/m").await.unwrap();
    assert_eq!(session.run("go").await.unwrap().text, "Hello.");
    assert!(is_listed());
    assert_eq!((ran(&place).len(), server.requests().len()), (1, 1));

    remove_trust(&place);
    // Nothing has looked at the list since.
    let error = session.set_model("two/m").await.unwrap_err().to_string();
    assert!(error.contains("two"), "{error}");
    assert!(!is_listed() && session.agent().tool_context().agent.find_model("two", "m").is_none());
    for _ in 0..2 {
        let end = format!("{:?}", session.run("go").await.unwrap().end);
        assert!(end.contains("the extension that registered it is not loaded any more"), "{end}");
    }
    assert!(session.set_model("one/m").await.is_err());
    assert_eq!((ran(&place).len(), server.requests().len()), (1, 1));

    add_trust(&place);
    server.push(Reply::new().text("Again."));
    assert_eq!(session.run("go").await.unwrap().text, "Again.");
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_the_first_model_of_a_session_ends_with_its_extension() {
    let server = ModelServer::start().await.unwrap();
    let place = trusted_place(&[]);
    let module = format!(
        r#"export default (pi) => {{ pi.registerProvider("one", {{ api: "openai-completions", baseUrl: "{}", apiKey: "!echo key >> {}",
          models: [{{ id: "m" }}] }}); }};"#,
        server.url(),
        place.path("ran").display()
    );
    place.write("project/.toolsmith/extensions/own.ts", &module);
    let endpoint = ModelChoice::Endpoint {
        provider: "one".to_owned(),
        model: Some("m".to_owned()),
        base_url: Some(server.url()),
        api_key_env: None,
    };
    for choice in [ModelChoice::Named("one/m".to_owned()), endpoint] {
        add_trust(&place);
        let session = Session::builder(place.cwd())
            .home(place.home())
            .settings(place.settings().settings)
            .trust(place.trust.clone())
            .model_choice(choice)
            .discovery(true)
            .build()
            .await
            .unwrap();
        remove_trust(&place);
        assert!(session.set_model("one/m").await.is_err());
        assert!(session.agent().tool_context().agent.models().iter().all(|model| model["provider"] != "one"));
        let end = format!("{:?}", session.run("go").await.unwrap().end);
        assert!(end.contains("not loaded any more"), "{end}");
        assert!(ran(&place).is_empty() && server.requests().is_empty());
    }
}
