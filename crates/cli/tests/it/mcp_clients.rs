//! Real clients of `toolsmith mcp serve`: the official Python SDK, and codex in front of the scripted model server. Both call
//! a TypeScript tool, stage a change, apply half of it and undo it.

use std::path::Path;

use serde_json::{Value, json};
use toolsmith_host::exec::{self, Request};
use toolsmith_testkit::{ModelServer, Reply};
use toolsmith_tool::CancelToken;

use crate::place::Place;

/// Replaces a word in all text files, as a staged change.
const RENAME: &str = r#"export default (pi) => ({
  name: "rename_word", description: "Replaces a word in all text files; stages the change", approval: "write", deferrable: true,
  parameters: pi.zod.object({ from: pi.zod.string(), to: pi.zod.string() }),
  async execute(id, { from, to }, onUpdate) {
    const fs = await import("node:fs/promises");
    const files = [];
    for (const name of (await fs.readdir(pi.cwd)).filter((name) => name.endsWith(".txt")).sort()) {
      onUpdate?.({ content: [{ type: "text", text: `Reading ${name}` }] });
      await new Promise((resolve) => setTimeout(resolve, 300));
      const text = await fs.readFile(`${pi.cwd}/${name}`, "utf8");
      if (text.includes(from)) files.push({ path: name, content: text.replaceAll(from, to) });
    }
    pi.pushPendingAction({ label: `Rename ${from} to ${to}`, files });
    return { content: [{ type: "text", text: `${files.length} files contain "${from}".` }] };
  },
});
"#;

fn place() -> Place {
    Place::trusted(&[
        ("project/.toolsmith/tools/rename_word.ts", RENAME),
        ("project/a.txt", "hello world\n"),
        ("project/b.txt", "world peace\n"),
    ])
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
fn skipped(what: &str) {
    eprintln!("skipped: needs {what}");
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_the_python_sdk_stages_applies_half_and_undoes() {
    let python = std::env::var("TOOLSMITH_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let probe = Request::new(&python).args(["-c", "import mcp"]);
    if !exec::run(&probe, &CancelToken::new(), |_| {}).await.is_ok_and(|outcome| outcome.code == 0) {
        return skipped("python3 with the package mcp (TOOLSMITH_TEST_PYTHON names the interpreter)");
    }
    let place = place();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp_client.py");
    let arguments = [
        text(&script),
        env!("CARGO_BIN_EXE_toolsmith").to_owned(),
        text(&place.path("project")),
        text(&place.path("home")),
    ];
    let outcome =
        exec::run(&Request::new(&python).args(arguments), &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr.text());
    let log: Vec<Value> = serde_json::from_str(&outcome.stdout.text()).unwrap();
    let all = json!(log).to_string();
    assert!(log.iter().any(|entry| entry["progress"] == "Reading a.txt"), "{all}");
    let files: Vec<&Value> = log.iter().filter_map(|entry| entry.get("files")).collect();
    assert_eq!(*files[0], json!(["hello earth\n", "world peace\n"]));
    assert_eq!(*files[1], json!(["hello world\n", "world peace\n"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_codex_stages_applies_half_and_undoes() {
    let codex = std::env::var("TOOLSMITH_TEST_CODEX").unwrap_or_else(|_| "codex".to_owned());
    let probe = Request::new(&codex).args(["--version"]);
    if !exec::run(&probe, &CancelToken::new(), |_| {}).await.is_ok_and(|outcome| outcome.code == 0) {
        return skipped("the codex program (TOOLSMITH_TEST_CODEX names it)");
    }
    let place = place();
    let server = ModelServer::start().await.unwrap();
    let ours = |name: &str| format!("mcp__toolsmith/{name}");
    let read = json!({ "server": "toolsmith", "uri": "toolsmith://pending/1" });
    let half = json!({ "id": "1", "action": "apply", "reason": "Only the first file", "files": ["a.txt"] });
    server.push(Reply::new().call("1", &ours("rename_word"), &json!({ "from": "world", "to": "earth" })));
    server.push(Reply::new().call("2", "read_mcp_resource", &read));
    server.push(Reply::new().call("3", &ours("toolsmith_resolve"), &half));
    server.push(Reply::new().call("4", &ours("toolsmith_undo"), &json!({})));
    server.push(Reply::new().text("Done."));
    let config = format!(
        "model = \"test\"\nmodel_provider = \"test\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n\
         [model_providers.test]\nname = \"test\"\nbase_url = {}\nwire_api = \"responses\"\nenv_key = \"TEST_KEY\"\n\
         [mcp_servers.toolsmith]\ncommand = {}\nargs = [\"mcp\", \"serve\", \"--cwd\", {}]\ndefault_tools_approval_mode = \"approve\"\n\
         [mcp_servers.toolsmith.env]\nHOME = {}\n",
        json!(format!("{}/v1", server.url().trim_end_matches('/').trim_end_matches("/v1"))),
        json!(env!("CARGO_BIN_EXE_toolsmith")),
        json!(text(&place.path("project"))),
        json!(text(&place.path("home"))),
    );
    place.write("codex/config.toml", &config);
    let request = Request::new(&codex)
        .args(["exec", "--skip-git-repo-check", "--json", "Rename world to earth"])
        .cwd(place.path("project"))
        .env("CODEX_HOME", text(&place.path("codex")))
        .env("TEST_KEY", "none")
        .timeout(std::time::Duration::from_secs(120));
    let outcome = exec::run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    let said = outcome.stdout.text();
    assert_eq!(outcome.code, 0, "{said}\n{}", outcome.stderr.text());
    let finished: Vec<Value> = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|event| event["type"] == "item.completed" && event["item"]["type"] == "mcp_tool_call")
        .map(|event| event["item"].clone())
        .collect();
    let tools: Vec<&str> = finished.iter().filter_map(|item| item["tool"].as_str()).collect();
    assert_eq!(tools, ["rename_word", "read_mcp_resource", "toolsmith_resolve", "toolsmith_undo"], "{said}");
    assert!(finished.iter().all(|item| item["status"] == "completed"), "{said}");
    assert!(finished[2].to_string().contains("Changed: a.txt"), "{said}");
    assert_eq!(std::fs::read_to_string(place.path("project/a.txt")).unwrap(), "hello world\n");
}
