//! `toolsmith hooks`, and hooks in every way to call a tool (CONTRACT 11.1, 11.2).

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use toolsmith_host::exec::{self, Request, Stdin};

use crate::place::{HELLO, Place, STAGE, Said};

/// Refuses everything that has `secret` in it.
const GUARD: &str = "if grep -q secret; then echo 'secrets stay here' >&2; exit 2; fi\n";

struct Hooked(Place);

impl Hooked {
    /// A trusted project with a tool and these hooks of the user.
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Place::trusted(&[
            ("project/.toolsmith/tools/hello.ts", HELLO),
            ("project/.toolsmith/tools/stage.ts", STAGE),
        ]);
        for (name, text) in files {
            place.write(name, text);
        }
        Self(place)
    }

    fn guarded() -> Self {
        Self::new(&[("home/.toolsmith/agent/hooks/pre/_all.sh", GUARD)])
    }

    /// A hook of the project in the format of Claude Code.
    fn of_project(command: &str) -> Self {
        let hook = json!({ "type": "command", "command": command });
        let file = json!({ "hooks": { "PreToolUse": [{ "matcher": "hello|Bash", "hooks": [hook] }] } });
        Self::new(&[("project/.claude/settings.json", &file.to_string())])
    }

    fn request(&self, args: &[&str]) -> Request {
        // Hooks are scripts, which need programs.
        self.0.request(args).env("PATH", std::env::var("PATH").unwrap())
    }

    async fn run(&self, args: &[&str]) -> Said {
        self.0.run_request(&self.request(args)).await
    }

    fn script(&self, turns: &Value) -> String {
        self.0.write("script.json", &turns.to_string());
        format!("script:{}", self.0.path("script.json").display())
    }
}

fn call(name: &str, arguments: Value) -> Value {
    json!({ "reply": [{ "call": name, "arguments": arguments }] })
}

#[tokio::test]
async fn c11_2_hooks_are_listed_confirmed_and_confirmed_again_after_a_change() {
    let on = Hooked::of_project("sh .claude/guard.sh");
    on.0.write("project/.claude/guard.sh", GUARD);
    let status =
        async |on: &Hooked| on.run(&["hooks", "list", "--json"]).await.json()["hooks"][0]["status"].clone();
    assert_eq!(status(&on).await, "new");
    let list = on.run(&["hooks", "list"]).await;
    assert!(list.stdout.contains("PreToolUse") && list.stdout.contains("toolsmith hooks trust"), "{list:?}");
    // Nobody can be asked here.
    let asked = on.run(&["hooks", "trust"]).await;
    assert_eq!(asked.code, 2, "{asked:?}");
    let call = on.run(&["call", "hello", "name=secret"]).await;
    assert!(call.code == 0 && call.stderr.contains("does not run until you confirm it"), "{call:?}");
    let trusted = on.run(&["hooks", "trust", "--all", "--json"]).await.json();
    assert_eq!(trusted["decided"][0]["files"].as_array().unwrap().len(), 1, "{trusted}");
    assert_eq!(status(&on).await, "confirmed");
    let call = on.run(&["call", "hello", "name=secret"]).await;
    assert!(call.code == 1 && call.stderr.contains("secrets stay here"), "{call:?}");
    on.0.write("project/.claude/guard.sh", "exit 0\n");
    assert_eq!(status(&on).await, "changed");
    let call = on.run(&["call", "hello", "name=World"]).await;
    assert!(call.code == 1 && call.stderr.contains("changed since you confirmed it"), "{call:?}");
    let hash =
        on.run(&["hooks", "list", "--json"]).await.json()["hooks"][0]["hash"].as_str().unwrap().to_owned();
    assert_eq!(on.run(&["hooks", "trust", &hash[..12]]).await.code, 0);
    assert_eq!(on.run(&["call", "hello", "name=World"]).await.code, 0);
    assert_eq!(on.run(&["hooks", "trust", "--decline", &hash]).await.code, 0);
    assert_eq!(status(&on).await, "declined");
    assert_eq!(on.run(&["hooks", "trust", "--forget"]).await.code, 0);
    assert_eq!(status(&on).await, "new");
    let unknown = on.run(&["hooks", "trust", "ffffffff"]).await;
    assert!(unknown.code == 2 && unknown.stderr.contains("no hook has the hash"), "{unknown:?}");
}

#[tokio::test]
async fn c2_8_hooks_of_an_untrusted_project_cannot_be_confirmed() {
    let on = Hooked::of_project("touch evidence");
    fs::remove_file(on.0.path("home/.toolsmith/trust.json")).unwrap();
    let refused = on.run(&["hooks", "trust", "--all"]).await;
    assert!(refused.code == 1 && refused.stderr.contains("wait for trust"), "{refused:?}");
    // Neither does trust for one run.
    let call = on.run(&["--trust", "call", "hello", "name=World"]).await;
    assert!(call.code == 0 && !on.0.path("project/evidence").exists(), "{call:?}");
}

#[tokio::test]
async fn a_hook_can_be_tried_without_a_call() {
    let on = Hooked::guarded();
    let file = on.0.path("home/.toolsmith/agent/hooks/pre/_all.sh").display().to_string();
    let test = ["hooks", "test", &file, "--tool", "write", "--input"];
    let blocked = on.run(&[&test[..], &[r#"{"path":"secret.txt","content":""}"#, "--json"]].concat()).await;
    let said = blocked.json();
    assert_eq!((blocked.code, &said["verdict"], &said["exitCode"]), (1, &json!("deny"), &json!(2)));
    assert_eq!(said["reason"], "secrets stay here");
    assert_eq!(said["input"]["file"], json!(on.0.path("project/secret.txt")));
    let passed = on.run(&[&test[..], &[r#"{"path":"a","content":""}"#]].concat()).await;
    assert!(passed.code == 0 && passed.stdout.ends_with("pass\n"), "{passed:?}");
    on.0.write("project/check", "exit 0");
    let not_executable = on.run(&["hooks", "test", "check"]).await;
    assert!(not_executable.stderr.contains("chmod +x"), "{not_executable:?}");
    fs::set_permissions(on.0.path("project/check"), fs::Permissions::from_mode(0o755)).unwrap();
    let bad = on.run(&["hooks", "test", "check", "--input", "[1]"]).await;
    assert_eq!(bad.code, 2, "{bad:?}");
}

#[tokio::test]
async fn a_denying_hook_holds_for_a_prompt_and_over_rpc_in_yolo() {
    let on = Hooked::guarded();
    let turns = json!([call("bash", json!({ "command": "echo secret > out" })), "Done."]);
    let model = on.script(&turns);
    let said = on.run(&["-p", "Go", "--mode", "json", "--auto-approve", "--model", &model]).await;
    assert!(said.stdout.contains("secrets stay here"), "{said:?}");
    let args = ["--mode", "rpc", "--auto-approve", "--no-session", "--model", &model];
    let mut process = exec::spawn(&on.request(&args).stdin(Stdin::Piped)).unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut input = process.stdin.take().unwrap();
    input.write_all(b"{\"type\":\"prompt\",\"id\":\"1\",\"message\":\"Go\"}\n").await.unwrap();
    let mut seen = String::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        seen.push_str(&line);
        if line.contains("\"agent_end\"") {
            break;
        }
    }
    assert!(seen.contains("secrets stay here"), "{seen}");
    assert!(!on.0.path("project/out").exists());
}

#[tokio::test]
async fn a_denying_hook_holds_for_calls_of_other_agents_over_mcp() {
    let on = Hooked::guarded();
    let mut process =
        exec::spawn(&on.request(&["mcp", "serve", "--all", "--preview"]).stdin(Stdin::Piped)).unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut input = process.stdin.take().unwrap();
    let version = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let calls = [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": version }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "hello", "arguments": { "name": "secret" } } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "hello", "arguments": { "name": "World" } } }),
    ];
    for message in calls {
        input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let mut answers = std::collections::BTreeMap::new();
    while answers.len() < 2 {
        let line = lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        if let Some(id @ 1..) = answer["id"].as_u64() {
            answers.insert(id, answer["result"].to_string());
        }
    }
    assert!(
        answers[&1].contains("secrets stay here") && answers[&1].contains("\"isError\":true"),
        "{answers:?}"
    );
    assert!(answers[&2].contains("Hello, World!"), "{answers:?}");
}

#[tokio::test]
async fn a_denying_hook_holds_when_a_preview_of_a_call_is_applied() {
    let on = Hooked::new(&[("home/.toolsmith/agent/hooks/pre/resolve.sh", "echo frozen >&2; exit 2")]);
    let said = on.run(&["call", "stage", "--apply"]).await;
    assert!(said.code != 0 && format!("{said:?}").contains("frozen"), "{said:?}");
    let said = on.run(&["call", "stage", "--discard"]).await;
    assert_eq!(said.code, 0, "{said:?}");
}

#[tokio::test]
async fn c11_1_a_hook_sees_where_the_paths_of_a_structural_search_lead() {
    let guard = "#!/bin/sh\ngrep -q /secret && { echo denied by path >&2; exit 2; }; exit 0\n";
    let on = Hooked::new(&[
        ("home/.toolsmith/agent/hooks/pre/_all.sh", guard),
        ("project/secret/a.js", "key(1)\n"),
        ("project/open/a.js", "key(2)\n"),
    ]);
    std::os::unix::fs::symlink("secret", on.0.path("project/link")).unwrap();
    let operations = json!([{ "pat": "key($A)", "out": "k($A)" }]);
    for (name, arguments) in [
        ("ast_grep", json!({ "pat": ["key($A)"], "path": "link" })),
        ("ast_grep", json!({ "pat": ["key($A)"], "path": "open link" })),
        ("ast_edit", json!({ "ops": operations, "path": "link" })),
    ] {
        let model = on.script(&json!([call(name, arguments.clone()), "Done."]));
        let said = on.run(&["-p", "Go", "--mode", "json", "--model", &model]).await;
        assert!(said.stdout.contains("denied by path"), "{name} {arguments}: {said:?}");
    }
    let model = on.script(&json!([call("ast_grep", json!({ "pat": ["key($A)"], "path": "open" })), "Done."]));
    let said = on.run(&["-p", "Go", "--mode", "json", "--model", &model]).await;
    assert!(!said.stdout.contains("denied by path"), "{said:?}");
}
