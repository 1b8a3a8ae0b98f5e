//! CONTRACT 2.8: whatever a command starts by name is not taken from a project that is not trusted.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use crate::place::Place;

/// Names that the project has programs for.
const PLANTED: &[&str] = &[
    "my-server",
    "my-helper",
    "my-key",
    "my-editor",
    "my-value",
    "my-guard",
    "bash",
    "sh",
    "git",
    "node",
    "env",
];

/// A tool of the user that starts programs in every way.
const TOOL: &str = r#"import { spawnSync, execFileSync, execSync } from "node:child_process";
export default (pi) => ({
  name: "mine", description: "d", approval: "read", parameters: { type: "object", properties: {} },
  async execute() {
    const tried = [];
    const attempt = async (work) => { try { tried.push(await work()); } catch (error) { tried.push(String(error.message)); } };
    await attempt(async () => (await pi.exec("my-helper", [])).code);
    await attempt(async () => (await pi.exec("git", ["--version"])).code);
    await attempt(async () => (await pi.exec("my-helper", [], { env: { PATH: process.env.PATH } })).code);
    await attempt(() => spawnSync("my-helper").error.code);
    await attempt(() => execFileSync("my-helper"));
    await attempt(() => execSync("my-helper"));
    await attempt(() => Bun.spawnSync(["my-helper"]).exitCode);
    await attempt(async () => (await Bun.$`my-helper`.nothrow().quiet()).exitCode);
    tried.push(Bun.which("my-helper"));
    return { content: [{ type: "text", text: JSON.stringify(tried) }] };
  },
})"#;

fn clone() -> Place {
    let place = Place::new(&[("project/a.txt", "a"), ("project/.git/HEAD", ""), ("project/sub/b.txt", "b")]);
    let evidence = place.path("evidence");
    fs::create_dir(&evidence).unwrap();
    for name in PLANTED {
        let script = format!("#!/bin/sh\n/usr/bin/touch {}/{name}\n", evidence.display());
        place.program(&format!("../project/node_modules/.bin/{name}"), &script);
    }
    symlink(place.path("project/node_modules/.bin"), place.path("outside")).unwrap();
    place.program("own-server", "#!/bin/sh\nmy-helper\nexit 3\n");
    let servers = json!({ "mcpServers": {
        "m": { "command": "my-server" },
        "own": { "command": "own-server" },
        "value": { "command": "own-server", "env": { "X": "!my-value" } },
    } });
    place.write("home/.toolsmith/agent/mcp.json", &servers.to_string());
    place.write("home/.toolsmith/agent/hooks/pre/read.sh", "my-guard; exit 0\n");
    place.write("home/.toolsmith/agent/tools/mine.ts", TOOL);
    place.write(
        "home/.toolsmith/config.toml",
        "[providers.p]\nwire = \"openai-completions\"\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key = \"!my-key\"\n",
    );
    let calls = json!([
        { "reply": [
            { "call": "bash", "arguments": { "command": "true" } },
            { "call": "read", "arguments": { "path": "a.txt" } },
            { "call": "mine", "arguments": {} },
        ] },
        "Done."
    ]);
    place.write("script.json", &calls.to_string());
    place
}

impl Place {
    fn started(&self) -> Vec<String> {
        let found = fs::read_dir(self.path("evidence")).unwrap();
        found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

#[tokio::test]
async fn c2_8_nothing_that_is_started_by_name_is_of_an_untrusted_project() {
    let place = clone();
    let inside = place.path("project/node_modules/.bin").display().to_string();
    let outside = place.path("outside").display().to_string();
    let script = format!("script:{}", place.path("script.json").display());
    let commands: &[&[&str]] = &[
        &["mcp", "test", "m"],
        &["mcp", "test", "own"],
        &["mcp", "test", "value"],
        &["list"],
        &["call", "bash", "command=true"],
        &["call", "mine"],
        &["-p", "go", "--model", &script, "--auto-approve"],
        &["-p", "go", "--model", "p/m"],
        &["config", "edit"],
        &["demo"],
        &["doctor"],
    ];
    for entry in ["node_modules/.bin", "./node_modules/.bin", &inside, &outside] {
        let path = format!("{entry}:{}:/usr/bin:/bin", place.path("bin").display());
        for args in commands {
            let request = place.request(args).env("PATH", &path).env("EDITOR", "my-editor");
            let said = place.run_request(&request).await;
            assert_eq!(place.started(), [""; 0], "{entry} {args:?} {said:#?}");
            match **args {
                ["mcp", "test", "m"] => {
                    let all = format!("{}{}", said.stdout, said.stderr);
                    let reason = if entry.starts_with('/') { "is not trusted" } else { "relative entry" };
                    assert!(all.contains("my-server") && all.contains(reason), "{said:#?}");
                }
                ["call", "bash", ..] => assert_eq!(said.code, 0, "{said:#?}"),
                ["call", "mine"] => {
                    // Only `git` of the system, if there is one, was found.
                    assert_eq!(said.stdout.matches("was not started").count(), 3, "{said:#?}");
                    assert!(said.stdout.contains("ENOENT") && said.stdout.contains("null"), "{said:#?}");
                }
                ["-p", _, _, model, ..] if model.starts_with("script") => {
                    assert!(said.stdout.contains("Done."), "{said:#?}");
                }
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn c2_8_programs_beside_a_package_of_an_untrusted_repository_are_not_found_either() {
    let place = clone();
    let path = format!("{}:/usr/bin:/bin", place.path("project/node_modules/.bin").display());
    let request = place.request(&["mcp", "test", "m"]).env("PATH", &path).cwd(place.path("project/sub"));
    let said = place.run_request(&request).await;
    assert_eq!(place.started(), [""; 0], "{said:#?}");
    // Trust in the package that is worked on counts for what is around it, as it does for relative imports.
    assert_eq!(place.run(&["trust", "sub"]).await.code, 0);
    place.run_request(&request).await;
    assert_eq!(place.started(), ["my-server"]);
}

#[tokio::test]
async fn c2_8_programs_of_a_trusted_project_are_found_by_name() {
    let place = clone();
    assert_eq!(place.run(&["trust"]).await.code, 0);
    let inside = place.path("project/node_modules/.bin").display().to_string();
    for (entry, args, expected) in [
        (inside.as_str(), &["mcp", "test", "m"][..], "my-server"),
        (inside.as_str(), &["mcp", "test", "own"], "my-helper"),
        (inside.as_str(), &["call", "bash", "command=true"], "bash"),
        ("node_modules/.bin", &["call", "mine"], "my-helper"),
        ("node_modules/.bin", &["call", "bash", "command=my-helper"], "my-helper"),
    ] {
        let path = format!("{entry}:{}:/usr/bin:/bin", place.path("bin").display());
        let said = place.run_request(&place.request(args).env("PATH", path)).await;
        assert!(place.started().iter().any(|name| name == expected), "{entry} {args:?} {said:#?}");
        fs::remove_dir_all(place.path("evidence")).unwrap();
        fs::create_dir(place.path("evidence")).unwrap();
    }
    // A server of the user never comes from a relative entry.
    let path = format!("node_modules/.bin:{}:/usr/bin:/bin", place.path("bin").display());
    place.run_request(&place.request(&["mcp", "test", "m"]).env("PATH", path)).await;
    assert_eq!(place.started(), [""; 0]);
}
