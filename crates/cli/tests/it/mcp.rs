//! `toolsmith mcp`: servers in a session, tools for other programs, and the files that configure them.

use std::path::Path;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use toolsmith_host::exec::{self, Request};
use toolsmith_tool::CancelToken;

use crate::{
    place::{HELLO, Place, STAGE},
    raw_mcp_client::{Client, text},
};

/// The fake server of the client's tests.
fn fake() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/it/fake_server.py").display().to_string()
}

/// The interpreter itself: what `python3` names may be a script that needs the environment.
#[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
async fn python() -> Option<String> {
    let request = Request::new("python3").args(["-c", "import sys; print(sys.executable)"]);
    let found =
        exec::run(&request, &CancelToken::new(), |_| {}).await.ok().filter(|outcome| outcome.code == 0);
    if found.is_none() {
        eprintln!("skipped: needs python3");
    }
    found.map(|outcome| outcome.stdout.text().trim().to_owned())
}

async fn configured(file: &str) -> Option<Place> {
    let place = Place::new(&[]);
    let entry = json!({ "mcpServers": { "fake": { "command": python().await?, "args": [fake(), "good"] } } });
    place.write(file, &entry.to_string());
    Some(place)
}

/// Stages a change of two files that the host writes.
const TWO_FILES: &str = r#"export default (pi) => ({
  name: "two_files", description: "Stages two files", approval: "write", deferrable: true,
  parameters: { type: "object", properties: {} },
  async execute() {
    pi.pushPendingAction({ label: "Write two", files: [
      { path: "one.txt", content: "1\n" }, { path: "two.txt", content: "2\n" },
    ] });
    return { content: [{ type: "text", text: "Staged." }] };
  },
});
"#;

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_custom_tools_are_served_with_preview_apply_in_part_and_undo() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/tools/two_files.ts", TWO_FILES),
    ]);
    let mut client = Client::start(&place, &[]).await;
    assert_eq!(client.tools().await, ["hello", "toolsmith_resolve", "toolsmith_undo", "two_files"]);
    assert_eq!(text(&client.call("hello", json!({ "name": "World" })).await), "Hello, World!");
    let invalid = client.call("hello", json!({ "name": 5, "times": "many" })).await;
    assert_eq!(invalid["result"]["isError"], true, "{invalid}");
    client.call("two_files", json!({})).await;
    let diff = client.request("resources/read", json!({ "uri": "toolsmith://pending/1" })).await;
    assert!(diff["result"]["contents"][0]["text"].as_str().unwrap().contains("+1"), "{diff}");
    assert!(!place.path("project/one.txt").exists());
    let part = json!({ "id": "1", "action": "apply", "reason": "half", "files": ["one.txt"] });
    let applied = client.call("toolsmith_resolve", part).await;
    assert_ne!(applied["result"]["isError"], json!(true), "{applied}");
    assert!(place.path("project/one.txt").exists() && !place.path("project/two.txt").exists());
    let undone = client.call("toolsmith_undo", json!({})).await;
    assert!(text(&undone).starts_with("Undone"), "{undone}");
    assert!(!place.path("project/one.txt").exists());
    assert_eq!(client.leave().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tier_that_may_run_is_limited_and_deny_holds() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/two_files.ts", TWO_FILES),
        ("project/.toolsmith/tools/stage.ts", STAGE),
        ("home/.toolsmith/config.toml", "[tools.approval]\nhello = \"deny\"\n"),
        ("project/.toolsmith/tools/hello.ts", HELLO),
    ]);
    let mut client = Client::start(&place, &["--approve", "write"]).await;
    let refused = client.call("stage", json!({})).await;
    assert_eq!(refused["result"]["isError"], true);
    // `exec` is not a value of the option.
    assert!(text(&refused).contains("--approve elicit or --approve client"), "{refused}");
    assert_ne!(client.call("two_files", json!({})).await["result"]["isError"], json!(true));
    assert_eq!(client.leave().await, 0);
    let mut client = Client::start(&place, &["--approve", "client"]).await;
    let denied = client.call("hello", json!({ "name": "x" })).await;
    assert!(text(&denied).contains("blocked by user policy"), "{denied}");
    assert_eq!(client.leave().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_served_built_ins_do_not_write_what_a_configured_server_starts() {
    let entry =
        r#"{"mcpServers":{"s":{"command":"sh","args":["x.sh"],"cwd":"${TOOLSMITH_TEST_UNSET:-srv}"}}}"#;
    let place = Place::trusted(&[("home/.toolsmith/agent/mcp.json", entry)]);
    let mut client = Client::start(&place, &["--all", "--approve", "write"]).await;
    let refused = client.call("write", json!({ "path": "srv/x.sh", "content": "x" })).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let written = client.call("write", json!({ "path": "srv/y.sh", "content": "x" })).await;
    assert_ne!(written["result"]["isError"], json!(true), "{written}");
    assert_eq!(client.leave().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_chosen_and_built_ins_are_added() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/tools/stage.ts", STAGE),
    ]);
    let mut client = Client::start(&place, &["--tools", "hello,read"]).await;
    assert_eq!(client.tools().await, ["hello", "read", "toolsmith_resolve", "toolsmith_undo"]);
    client.leave().await;
    let mut client = Client::start(&place, &["--all", "--preview"]).await;
    let names = client.tools().await;
    assert!(
        ["bash", "edit", "hello", "write"].iter().all(|name| names.contains(&(*name).to_owned())),
        "{names:?}"
    );
    let written = client.call("write", json!({ "path": "new.txt", "content": "x" })).await;
    assert!(written.to_string().contains("Staged as action"), "{written}");
    assert!(!place.path("project/new.txt").exists());
    client.leave().await;
    let said = place.run(&["mcp", "serve", "--tools", "helo"]).await;
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("did you mean hello"), "{}", said.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_tools_of_an_untrusted_project_are_not_served() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let mut client = Client::start(&place, &[]).await;
    assert_eq!(client.tools().await, [] as [&str; 0]);
    assert_eq!(client.leave().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_changes_the_list_without_a_restart() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let mut client = Client::start(&place, &[]).await;
    client.tools().await;
    place.write("project/.toolsmith/tools/stage.ts", STAGE);
    loop {
        if client.next().await["method"] == "notifications/tools/list_changed" {
            break;
        }
    }
    assert!(client.tools().await.contains(&"stage".to_owned()));
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_1_a_servers_tools_are_listed_called_and_used_by_a_model() {
    let Some(place) = configured("home/.toolsmith/agent/mcp.json").await else { return };
    let listed = place.run(&["list", "--json"]).await.json();
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"mcp__fake__echo"), "{names:?}");
    let said = place.run(&["call", "mcp__fake__echo", "text=hello"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "hello\n"), "{said:#?}");
    let said = place.run(&["call", "mcp__fake__nope"]).await;
    assert_eq!(said.code, 2, "{said:#?}");
    let reply = json!([{ "call": "mcp__fake__echo", "arguments": { "text": "from the model" } }]);
    let script = json!([{ "reply": reply }, "The end."]);
    place.write("project/script.json", &script.to_string());
    let said =
        place.run(&["-p", "go", "--model", "script:script.json", "--mode", "json", "--no-session"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stdout.contains("from the model") && said.stdout.contains("The end."), "{}", said.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_1_no_server_survives_a_kill() {
    let Some(place) = configured("home/.toolsmith/agent/mcp.json").await else { return };
    let turns = json!([{ "reply": [{ "call": "mcp__fake__children", "arguments": {} }] }, { "reply": [{ "waitForAbort": true }] }]);
    place.write("project/script.json", &json!({ "turns": turns }).to_string());
    let args =
        ["-p", "go", "--model", "script:script.json", "--mode", "json", "--no-session", "--auto-approve"];
    let mut process = exec::spawn(&place.request(&args)).unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let pids = loop {
        let line = lines.next_line().await.unwrap().expect("the call ends before the output does");
        let event: Value = serde_json::from_str(&line).unwrap();
        if event["type"] == "tool_execution_end" {
            break event["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        }
    };
    let pids: Vec<String> = pids.split(' ').map(str::to_owned).collect();
    let is_running = |pid: &String| {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    };
    assert!(pids.len() == 2 && pids.iter().all(is_running), "{pids:?}");
    process.signal(9);
    let gone = async {
        while pids.iter().any(is_running) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), gone).await.expect("all processes are gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_of_servers_are_commands_and_resources_can_be_mentioned() {
    let Some(place) = configured("home/.toolsmith/agent/mcp.json").await else { return };
    place.write("project/script.json", r#"["The end."]"#);
    for (prompt, expected) in [
        ("/mcp__fake__greet Ada", "Greet Ada"),
        ("look at @fake:test://one, please", "content of test://one"),
    ] {
        let said = place
            .run(&["-p", prompt, "--model", "script:script.json", "--mode", "json", "--no-session"])
            .await;
        assert_eq!(said.code, 0, "{said:#?}");
        assert!(said.stdout.contains(expected), "{}", said.stdout);
    }
    let said = place.run(&["-p", "/mcp__fake__greet", "--model", "script:script.json", "--no-session"]).await;
    assert!(said.code == 1 && said.stderr.contains("the prompt needs: who"), "{said:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_servers_of_an_untrusted_project_are_not_started() {
    let Some(place) = configured("project/.mcp.json").await else { return };
    let listed = place.run(&["list", "--json"]).await.json();
    assert_eq!(listed["tools"], json!([]));
    assert_eq!(listed["waitingServers"][0]["name"], "fake");
    let said = place.run(&["mcp", "test", "fake"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("waits for trust"), "{}", said.stderr);
    let said = place.run(&["mcp", "test", "fake", "--trust", "--json"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    // Hints of a project's server do not count.
    let tools = said.json()["tools"].as_array().unwrap().clone();
    assert!(tools.iter().all(|tool| tool["tier"] == "exec"), "{tools:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_an_untrusted_project_cannot_choose_a_trusted_file_through_a_link() {
    let Some(place) = configured("other/.mcp.json").await else { return };
    assert_eq!(place.run(&["--cwd", "../other", "trust"]).await.code, 0);
    std::os::unix::fs::symlink(place.path("other/.mcp.json"), place.path("project/.mcp.json")).unwrap();
    let listed = place.run(&["list", "--json"]).await.json();
    assert_eq!(listed["tools"], json!([]));
    let warning = listed["warnings"][0]["message"].as_str().unwrap_or_default();
    assert!(warning.contains("lies outside"), "{listed}");
    let said = place.run(&["mcp", "test", "fake"]).await;
    assert!(said.code != 0 && !said.stdout.contains("tools"), "{said:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_added_listed_and_removed() {
    let place = Place::new(&[]);
    let said = place.run(&["mcp", "add", "files", "--env", "A=${B}", "--", "server", "-y", "."]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let said =
        place.run(&["mcp", "add", "web", "https://example.com/mcp", "--header", "X-Key: ${KEY}"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let file = std::fs::read_to_string(place.path("home/.toolsmith/agent/mcp.json")).unwrap();
    let written: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(
        written["mcpServers"]["files"],
        json!({ "command": "server", "args": ["-y", "."], "env": { "A": "${B}" } })
    );
    assert_eq!(written["mcpServers"]["web"]["headers"], json!({ "X-Key": "${KEY}" }));
    assert_eq!(place.run(&["mcp", "add", "files", "--", "other"]).await.code, 1);
    assert_eq!(place.run(&["mcp", "add", "bad name", "--", "other"]).await.code, 2);
    let listed = place.run(&["mcp", "list", "--json"]).await.json();
    assert_eq!(listed["servers"][0]["target"], "server -y .");
    assert_eq!(place.run(&["mcp", "remove", "files"]).await.code, 0);
    let said = place.run(&["mcp", "remove", "files"]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    let said = place.run(&["mcp", "test", "wb"]).await;
    assert!(said.code == 2 && said.stderr.contains("Did you mean \"web\"?"), "{said:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_for_other_agents_are_printed_or_written() {
    let place = Place::trusted(&[("home/.codex/config.toml", "model = \"x\"")]);
    for client in ["claude-code", "codex", "zed", "vscode", "cursor"] {
        let said = place.run(&["mcp", "install", "--client", client]).await;
        assert_eq!(said.code, 0, "{said:#?}");
        assert!(said.stdout.contains("toolsmith") && said.stdout.contains("serve"), "{}", said.stdout);
        let said =
            place.run(&["mcp", "install", "--client", client, "--write", "--", "--approve", "read"]).await;
        assert_eq!(said.code, 0, "{said:#?}");
        let again = place.run(&["mcp", "install", "--client", client, "--write"]).await;
        assert_eq!(again.code, 1, "{again:#?}");
    }
    let claude: Value =
        serde_json::from_str(&std::fs::read_to_string(place.path("project/.mcp.json")).unwrap()).unwrap();
    assert_eq!(claude["mcpServers"]["toolsmith"]["args"][5], "read");
    let codex = std::fs::read_to_string(place.path("home/.codex/config.toml")).unwrap();
    assert!(codex.starts_with("model = \"x\"\n\n[mcp_servers.toolsmith]\ncommand = "), "{codex}");
    let vscode = std::fs::read_to_string(place.path("project/.vscode/mcp.json")).unwrap();
    assert!(vscode.contains("\"servers\""), "{vscode}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_entries_are_not_written_through_links_out_of_the_project() {
    use std::{fs, os::unix::fs::symlink};
    let place = Place::trusted(&[("elsewhere/mcp.json", "{}")]);
    symlink("../elsewhere", place.path("project/.cursor")).unwrap();
    symlink("../elsewhere", place.path("project/.vscode")).unwrap();
    symlink("../elsewhere", place.path("project/.zed")).unwrap();
    symlink("../elsewhere", place.path("project/.toolsmith")).unwrap();
    symlink("../elsewhere/new.json", place.path("project/.mcp.json")).unwrap();
    let install = ["cursor", "vscode", "zed", "claude-code"]
        .map(|client| vec!["mcp", "install", "--write", "--client", client]);
    for args in install.into_iter().chain([vec!["mcp", "add", "--project", "x", "--", "y"]]) {
        let said = place.run(&args).await;
        assert!(said.code == 1 && said.stderr.contains("leads out of"), "{args:?} {said:#?}");
    }
    assert_eq!(fs::read_to_string(place.path("elsewhere/mcp.json")).unwrap(), "{}");
    assert_eq!(fs::read_dir(place.path("elsewhere")).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_7_a_server_that_does_not_list_its_tools_is_named() {
    let Some(python) = python().await else { return };
    let place = Place::new(&[]);
    let entry = json!({ "command": python, "args": [fake(), "no-list"], "startupTimeout": 4000 });
    place.write("home/.toolsmith/agent/mcp.json", &json!({ "mcpServers": { "slow": entry } }).to_string());
    let said = place.run(&["list"]).await;
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(all.contains("\"slow\"") && all.contains("did not list its tools within 4s"), "{said:#?}");
}
