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
async fn c5_7_the_directory_of_a_server_may_come_from_a_variable() {
    let server = |cwd: &str| json!({ "command": "sh", "args": ["x.sh"], "cwd": cwd });
    let files = ["srv/x.sh", "srv/y.sh", "other/x.sh"];
    for cwd in ["srv", "./srv", "${TOOLSMITH_TEST_UNSET:-srv}", "${CARGO_PKG_NAME}/../srv"] {
        let place = with_server(&server(cwd), &[]);
        assert_eq!(place.write_tiers(&files).await, [EXEC, WRITE, WRITE], "{cwd}");
    }
    // The variable is set now, and may not be at the next start.
    let place = with_server(&server("${CARGO_PKG_NAME:-srv}"), &[]);
    let name = std::env::var("CARGO_PKG_NAME").unwrap();
    assert_eq!(place.write_tiers(&[&format!("{name}/x.sh"), "srv/x.sh"]).await, [EXEC, EXEC]);
    // Codex does not expand values.
    let place = Place::new(&[]);
    place.write(
        "home/.codex/config.toml",
        "[mcp_servers.s]\ncommand = \"sh\"\nargs = [\"x.sh\"]\ncwd = \"${X}\"\n",
    );
    assert_eq!(place.write_tiers(&["${X}/x.sh", "srv/x.sh"]).await, [EXEC, WRITE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_names_of_a_server_count_everywhere_if_its_directory_is_not_known() {
    for cwd in ["!echo srv", "${TOOLSMITH_TEST_UNSET}/srv"] {
        let place =
            with_server(&json!({ "command": "sh", "args": ["x.sh", "lib/z", "./..."], "cwd": cwd }), &[]);
        let files = ["x.sh", "srv/X.sh", "a/b/c/d/e/x.sh", "a/lib/z", "a/lib/z/more", "a/z", "srv/y.sh"];
        let tiers = place.write_tiers(&files).await;
        assert_eq!(tiers, [EXEC, EXEC, EXEC, EXEC, EXEC, WRITE, WRITE], "{cwd}");
    }
    // A name that is a link, or leads through one.
    for (link, target, name, file) in
        [("a/x.sh", "../lib/y.sh", "x.sh", "lib/y.sh"), ("a/bin", "../lib", "bin/x.sh", "lib/x.sh")]
    {
        let place = with_server(
            &json!({ "command": "sh", "args": [name], "cwd": "!echo a" }),
            &[("project/a/other", ""), ("project/lib/other", "")],
        );
        std::os::unix::fs::symlink(target, place.path(&format!("project/{link}"))).unwrap();
        assert_eq!(place.write_tiers(&[file, "lib/z"]).await, [EXEC, WRITE], "{link}");
    }
    let manifest = ("project/a/srv/package.json", r#"{"main":"dist/i.js"}"#);
    let place = with_server(&json!({ "command": "node", "args": ["."], "cwd": "!echo a/srv" }), &[manifest]);
    let files = ["a/srv/dist/i.js", "a/srv/package.json", "b/package.json", "b/index.js", "b/other.js"];
    assert_eq!(place.write_tiers(&files).await, [EXEC, EXEC, EXEC, EXEC, WRITE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_files_that_a_package_names_are_exec_before_they_are_built() {
    for (main, built) in [
        ("dist/i.js", "srv/dist/i.js"),
        ("./dist/i", "srv/dist/i.js"),
        ("dist", "srv/dist/index.js"),
        ("dist/i", "srv/dist/i.node"),
        ("../out/i.js", "out/i.js"),
    ] {
        let text = json!({ "main": main }).to_string();
        let manifest = ("project/srv/package.json", text.as_str());
        let files = [built, "srv/package.json", "srv/dist/other.js"];
        let place = with_server(&json!({ "command": "node", "args": ["srv"] }), &[manifest]);
        assert_eq!(place.write_tiers(&files).await, [EXEC, EXEC, WRITE], "{main}");
        let place = with_server(&json!({ "command": "node", "args": ["."], "cwd": "srv" }), &[manifest]);
        assert_eq!(place.write_tiers(&files).await, [EXEC, EXEC, WRITE], "{main}");
        let place = with_hook("node srv");
        place.write(manifest.0, manifest.1);
        assert_eq!(place.write_tiers(&files).await, [EXEC, EXEC, WRITE], "{main}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_a_server_runs_in_the_project_also_if_the_session_is_in_a_subdirectory() {
    let server = json!({ "command": "sh", "args": ["sub/x.sh"] });
    let place = with_server(&server, &[("project/.git/HEAD", ""), ("project/.toolsmith/config.toml", "")]);
    place.write("project/sub/a", "");
    let tiers = place.write_tiers_in(&place.path("project/sub"), &["x.sh", "y.sh"]).await;
    assert_eq!(tiers, [EXEC, WRITE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_ordinary_commands_leave_the_files_of_a_project_alone() {
    let files = ["src/main.rs", "test/a.js", "README.md", "lib/index.ts"];
    let server = json!({ "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] });
    assert_eq!(with_server(&server, &[]).write_tiers(&files).await, [WRITE; 4]);
    for command in ["npm test", "git status", "cargo test --lib", "go test ./..."] {
        assert_eq!(with_hook(command).write_tiers(&files).await, [WRITE; 4], "{command}");
    }
}
