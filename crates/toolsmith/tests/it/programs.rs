//! Files that configured commands start: of MCP servers, hooks and keys of the user.

use serde_json::{Value, json};
use toolsmith::Tier;

use crate::place::Place;

const EXEC: Tier = Tier::Exec;
const WRITE: Tier = Tier::Write;

/// A project beside an MCP server of the user.
fn with_server(entry: &Value, files: &[(&str, &str)]) -> Place {
    let place = Place::new(files);
    let servers = json!({ "mcpServers": { "s": entry } });
    place.write("home/.toolsmith/agent/mcp.json", &servers.to_string());
    place
}

/// A project beside a hook of the user.
fn with_hook(command: &str) -> Place {
    let place = Place::new(&[]);
    let handler = json!({ "type": "command", "command": command });
    let hooks = json!({ "hooks": { "PostToolUse": [{ "matcher": "ls", "hooks": [handler] }] } });
    place.write("home/.toolsmith/agent/hooks.json", &hooks.to_string());
    place
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_files_that_a_server_would_start_are_exec_before_they_exist() {
    let python = |args: &[&str]| json!({ "command": "python3", "args": args });
    for (entry, files) in [
        (python(&["server.py"]), &["server.py"][..]),
        (python(&["-m", "modx.sub"]), &["modx/__init__.py", "modx/sub.py"]),
        (
            json!({ "command": "python3", "args": ["-m", "modx"], "env": { "PYTHONPATH": "pyp" } }),
            &["pyp/modx.py", "pyp/sitecustomize.py"],
        ),
        (json!({ "command": "node", "args": ["s6"] }), &["s6", "s6.js", "s6/index.js", "s6/package.json"]),
        (
            json!({ "command": "node", "args": ["x.js"], "env": { "NODE_OPTIONS": "--require ./pre.js" } }),
            &["pre.js", "x.js"],
        ),
    ] {
        let tiers = with_server(&entry, &[]).write_tiers(files).await;
        assert!(tiers.iter().all(|tier| *tier == EXEC), "{entry}: {files:?} {tiers:?}");
    }
    // Node prefers the file to the directory.
    let place = with_server(&json!({ "command": "node", "args": ["./s6"] }), &[("project/s6/index.js", "")]);
    assert_eq!(place.write_tiers(&["s6.js", "s6/index.js", "s6/other.js"]).await, [EXEC, EXEC, WRITE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_files_that_a_hook_or_a_key_would_start_are_exec_before_they_exist() {
    for (command, file) in [
        ("python3 hk.py", "hk.py"),
        ("node k", "k.js"),
        ("node k", "k/index.js"),
        ("python3 -m zz.a", "zz/a.py"),
        ("PYTHONPATH=pp python3 -m zz", "pp/zz.py"),
        ("run-parts hooks.d", "hooks.d/x"),
    ] {
        assert_eq!(with_hook(command).write_tiers(&[file]).await, [EXEC], "{command}: {file}");
    }
    let place = Place::new(&[]);
    let provider = "[providers.own]\nwire = \"openai-completions\"\nbase_url = \"http://127.0.0.1:9\"\napi_key = \"!sh key.sh\"\n";
    place.write("home/.toolsmith/config.toml", provider);
    assert_eq!(place.write_tiers(&["key.sh", "key/a.sh"]).await, [EXEC, WRITE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_ordinary_commands_leave_the_files_of_a_project_alone() {
    let files = ["src/main.rs", "test/a.js", "README.md", "lib/index.ts"];
    let server = json!({ "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] });
    assert_eq!(with_server(&server, &[]).write_tiers(&files).await, [WRITE; 4]);
    for command in ["npm test", "git status", "cargo test --lib"] {
        assert_eq!(with_hook(command).write_tiers(&files).await, [WRITE; 4], "{command}");
    }
}
