//! `toolsmith plugin`: the real program with the real npm and git, without a network.

use std::{fs, os::unix::fs::symlink};

use serde_json::Value;
use toolsmith_host::exec::Request;

use crate::place::{HELLO, Place, Said};

const SKILL: &str = "---\nname: pdf\ndescription: Reads PDFs\nallowed-tools: Bash(x:*)\n---\nBody\n";

fn request(place: &Place, args: &[&str]) -> Request {
    let path = std::env::var("PATH").unwrap_or_default();
    place
        .request(args)
        .env("PATH", path)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("npm_config_registry", "http://127.0.0.1:9/")
        .env("npm_config_update_notifier", "false")
}

async fn run(place: &Place, args: &[&str]) -> Said {
    place.run_request(&request(place, args)).await
}

async fn shell(place: &Place, script: &str) {
    let request = Request::new("sh")
        .args(["-ec", script])
        .cwd(&place.root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("HOME", place.path("home").display().to_string());
    let outcome =
        toolsmith_host::exec::run(&request, &toolsmith_tool::CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout.text(), outcome.stderr.text());
}

/// A plugin in the form of Claude Code.
fn claude_plugin(place: &Place, folder: &str) {
    place.write(
        &format!("{folder}/.claude-plugin/plugin.json"),
        r#"{"name":"office","version":"1.0.0","description":"Office"}"#,
    );
    place.write(&format!("{folder}/skills/pdf/SKILL.md"), SKILL);
    place.write(&format!("{folder}/commands/review.md"), "Review: !`git diff`");
    place.write(&format!("{folder}/tools/hello.ts"), HELLO);
    place.write(
        &format!("{folder}/hooks/hooks.json"),
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"guard.sh"}]}]}}"#,
    );
    place.write(
        &format!("{folder}/.mcp.json"),
        r#"{"mcpServers":{"docs":{"command":"docs-server","args":["--x"]}}}"#,
    );
}

fn parts(said: &Said) -> Vec<String> {
    let json: Value = said.json();
    json["parts"].as_array().unwrap().iter().map(|part| part.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_plugin_shows_its_contents_and_is_installed_only_when_that_is_wanted() {
    let place = Place::new(&[]);
    claude_plugin(&place, "office");
    let folder = place.path("office").display().to_string();
    let said = run(&place, &["plugin", "add", &folder]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    for part in [
        "skill pdf (asks for Bash(x:*))",
        "command commands/review.md (runs git diff)",
        "tool tools/hello.ts (code)",
        "hook PreToolUse: guard.sh",
        "MCP server docs: docs-server --x",
        "--yes",
    ] {
        assert!(said.stderr.contains(part), "{part}: {said:#?}");
    }
    assert!(!place.path("home/.toolsmith/plugins/node_modules").exists());
    let said = run(&place, &["plugin", "add", &folder, "--yes", "--json"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(parts(&said).iter().any(|part| part.starts_with("tool tools/hello.ts")), "{said:#?}");
    assert!(said.json()["fingerprint"].as_str().unwrap().starts_with("sha256-"));

    let said = run(&place, &["list", "--json"]).await;
    assert_eq!(said.json()["tools"][0]["source"]["detail"], "office", "{said:#?}");
    let said = run(&place, &["call", "hello", "name=World"]).await;
    assert!(said.stdout.contains("Hello, World!"), "{said:#?}");
    let said = run(&place, &["skills", "list", "--json"]).await;
    assert_eq!(said.json()["skills"][0]["name"], "office:pdf", "{said:#?}");
    let said = run(&place, &["mcp", "list", "--json"]).await;
    assert!(said.stdout.contains("docs-server"), "{said:#?}");
    let said = run(&place, &["plugin", "list"]).await;
    assert!(said.stdout.contains("office 1.0.0") && said.stdout.contains("skill pdf"), "{said:#?}");

    let said = run(&place, &["plugin", "remove", "office"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let said = run(&place, &["call", "hello", "name=World"]).await;
    assert_ne!(said.code, 0, "{said:#?}");
    let said = run(&place, &["plugin", "remove", "office"]).await;
    assert_eq!(said.code, 1, "{said:#?}");
}

#[tokio::test]
async fn plugins_and_their_parts_can_be_disabled() {
    let place = Place::new(&[]);
    claude_plugin(&place, "office");
    run(&place, &["plugin", "add", &place.path("office").display().to_string(), "--yes"]).await;
    for part in ["tools/hello", "skills/pdf", "mcp/docs"] {
        let said = run(&place, &["plugin", "disable", "office", part]).await;
        assert_eq!(said.code, 0, "{said:#?}");
    }
    let said = run(&place, &["list", "--json"]).await;
    assert_eq!(said.json()["tools"], serde_json::json!([]), "{said:#?}");
    assert_eq!(run(&place, &["skills", "list", "--json"]).await.json()["skills"], serde_json::json!([]));
    assert!(!run(&place, &["mcp", "list", "--json"]).await.stdout.contains("docs-server"));
    run(&place, &["plugin", "enable", "office", "tools/hello"]).await;
    assert_eq!(run(&place, &["list", "--json"]).await.json()["tools"][0]["name"], "hello");
    run(&place, &["plugin", "disable", "office"]).await;
    assert_eq!(run(&place, &["list", "--json"]).await.json()["tools"], serde_json::json!([]));
    let said = run(&place, &["plugin", "disable", "office", "nonsense"]).await;
    assert_eq!(said.code, 2, "{said:#?}");
}

#[tokio::test]
async fn npm_packages_are_installed_without_running_their_scripts() {
    let place = Place::new(&[]);
    place.write(
        "package/package.json",
        r#"{"name":"@me/stats","version":"1.2.3","scripts":{"preinstall":"touch ../../../../../pwned","postinstall":"touch ../../../../../pwned","install":"touch pwned","prepare":"touch pwned"},
            "toolsmith":{"tools":["./hello.ts"]},"dependencies":{}}"#,
    );
    place.write("package/hello.ts", HELLO);
    shell(&place, "cd package && npm pack --ignore-scripts --silent && mv *.tgz ../stats.tgz").await;
    let spec = format!("npm:{}", place.path("stats.tgz").display());
    let said = run(&place, &["plugin", "add", &spec, "--yes", "--json"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert_eq!(said.json()["name"], "@me/stats");
    assert!(said.json()["fingerprint"].as_str().unwrap().starts_with("sha512-"), "{said:#?}");
    let found = run(&place, &["call", "hello", "name=World"]).await;
    assert!(found.stdout.contains("Hello, World!"), "{found:#?}");
    shell(&place, "test -z \"$(find . -name pwned)\"").await;
    let lock = fs::read_to_string(place.path("home/.toolsmith/plugins/toolsmith-plugins.lock.json")).unwrap();
    assert!(lock.contains("\"integrity\": \"sha512-") && lock.contains("stats.tgz"), "{lock}");
}

#[tokio::test]
async fn c2_8_npm_runs_no_program_that_a_package_of_a_git_repository_names() {
    let place = Place::new(&[]);
    let marked = place.path("pwned").display().to_string();
    place.write("inner/package.json", r#"{"name":"inner","version":"1.0.0"}"#);
    place.write("outer/evil.sh", &format!("#!/bin/sh\necho x >> {marked}\nexec git \"$@\"\n"));
    place.write("outer/.npmrc", "git=./evil.sh\n");
    place.write("outer/hello.ts", HELLO);
    let from_git = |name: &str| format!("git+file://{}", place.path(name).display());
    let package = |name: &str, dependency: &str, spec: &str| {
        format!(
            r#"{{"name":"{name}","version":"1.0.0","scripts":{{"prepare":"true"}},"dependencies":{{"{dependency}":"{spec}"}},"toolsmith":{{"tools":["hello.ts"]}}}}"#
        )
    };
    place.write("outer/package.json", &package("outer", "inner", &from_git("inner")));
    place.write("package/package.json", &package("plain", "outer", &from_git("outer")));
    place.write("package/hello.ts", HELLO);
    let commit = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm x";
    shell(&place, &format!("chmod +x outer/evil.sh; for d in inner outer; do (cd $d; {commit}); done")).await;
    shell(&place, "cd package && npm pack --ignore-scripts --silent && mv *.tgz ../plain.tgz").await;
    for source in [
        format!("npm:{}", place.path("plain.tgz").display()),
        format!("npm:{}", from_git("outer")),
        place.path("package").display().to_string(),
    ] {
        let said = run(&place, &["plugin", "add", &source, "--yes"]).await;
        assert_eq!(said.code, 1, "{source}: {said:#?}");
        assert!(said.stderr.contains("a package comes from a git repository"), "{source}: {said:#?}");
        assert!(!place.path("pwned").exists(), "{source}");
    }
}

#[tokio::test]
async fn c5_8_the_question_about_a_plugin_shows_every_command_it_would_run() {
    let place = Place::new(&[]);
    claude_plugin(&place, "office");
    place.write(
        "office/.mcp.json",
        r#"{"mcpServers":{"m":{"command":"true","env":{"A":"!sh one.sh"},"cwd":"sub"},"h":{"url":"http://127.0.0.1:9/","headers":{"X":"!sh two.sh"}}}}"#,
    );
    place.write(
        "office/hooks/hooks.json",
        r#"{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"sh","args":["-c","three"]}]}]}}"#,
    );
    let said = run(&place, &["plugin", "add", &place.path("office").display().to_string()]).await;
    for part in ["env A=!sh one.sh; cwd sub", "headers X=!sh two.sh", "hook PreToolUse: sh -c three"] {
        assert!(said.stdout.contains(part) || said.stderr.contains(part), "{part}: {said:#?}");
    }
}

/// A module that leaves a file when it is loaded.
fn marking(place: &Place, name: &str) -> String {
    let mark = place.path("marks").join(name).display().to_string();
    format!("import fs from \"node:fs\"; fs.writeFileSync({mark:?}, \"x\"); export default () => null;")
}

/// Loads everything and returns which modules ran.
async fn loaded(place: &Place) -> Vec<String> {
    let said = run(place, &["list"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let marks = fs::read_dir(place.path("marks")).unwrap().flatten();
    let mut names: Vec<String> = marks.map(|mark| mark.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn c5_8_no_code_of_a_plugin_runs_that_was_not_shown() {
    let place = Place::new(&[("marks/.keep", "")]);
    fs::remove_file(place.path("marks/.keep")).unwrap();
    for name in ["hidden", "extension", "shown", "feature"] {
        place.write(&format!("two/{name}.ts"), &marking(&place, name));
        place.write(&format!("one/{name}.ts"), &marking(&place, name));
    }
    // Two manifests: the first is the one that counts.
    place.write("two/.claude-plugin/plugin.json", r#"{"name":"two","version":"1"}"#);
    place.write("two/commands/c.md", "hi");
    let source = place.path("two").display().to_string();
    let said = run(&place, &["plugin", "add", &source, "--yes"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    place.write(
        "two/package.json",
        r#"{"name":"two","toolsmith":{"tools":"./hidden.ts","extensions":["./extension.ts"]},"pi":{"extensions":["./extension.ts"]}}"#,
    );
    let said = run(&place, &["plugin", "update", "--yes"]).await;
    assert!(said.stdout.contains("Updated two"), "{said:#?}");
    assert!(said.stderr.contains("`toolsmith` in package.json is not used"), "{said:#?}");
    assert_eq!(loaded(&place).await, [""; 0]);
    // A feature.
    place.write(
        "one/package.json",
        r#"{"name":"one","toolsmith":{"tools":"./shown.ts","features":{"f":{"default":true,"tools":"./feature.ts"}}}}"#,
    );
    let said = run(&place, &["plugin", "add", &place.path("one").display().to_string(), "--yes"]).await;
    assert!(said.stderr.contains("tool shown.ts (code)"), "{said:#?}");
    assert!(said.stderr.contains("tool feature.ts (code; feature f, on by default)"), "{said:#?}");
    assert_eq!(loaded(&place).await, ["feature", "shown"]);
}

#[tokio::test]
async fn c5_8_a_plugin_is_not_installed_if_that_gives_it_parts_that_were_not_shown() {
    let place = Place::new(&[("marks/.keep", "")]);
    fs::remove_file(place.path("marks/.keep")).unwrap();
    place.write("repo/.claude-plugin/plugin.json", r#"{"name":"pl"}"#);
    place.write("repo/commands/c.md", "hi");
    place.write("repo/hidden/t.ts", &marking(&place, "hidden"));
    let git = "git -c user.name=a -c user.email=a@b -C repo";
    shell(&place, &format!("git init -q repo && {git} add -A && {git} commit -qm one")).await;
    let source = format!("git:{}", place.path("repo").display());
    let said = run(&place, &["plugin", "add", &source, "--yes"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    // The link leads somewhere only from the directory that the plugin is installed in.
    symlink("../../node_modules/pl/hidden", place.path("repo/tools")).unwrap();
    shell(&place, &format!("{git} add -A && {git} commit -qm two")).await;
    for args in [&["plugin", "update", "--yes"][..], &["plugin", "add", &source, "--yes"]] {
        let said = run(&place, args).await;
        assert_eq!(said.code, 1, "{said:#?}");
        let message = "has a part that was not shown: tool tools/t.ts (code)";
        assert!(said.stderr.contains(message), "{said:#?}");
        // The earlier version stays.
        assert!(place.path("home/.toolsmith/plugins/node_modules/pl/commands/c.md").exists());
        assert!(place.path("home/.toolsmith/plugins/node_modules/pl/tools").symlink_metadata().is_err());
    }
    assert_eq!(loaded(&place).await, [""; 0]);
}

#[tokio::test]
async fn c5_8_parts_that_a_dependency_of_a_plugin_brings_are_shown() {
    let place = Place::new(&[]);
    place.write(
        "plugin/package.json",
        r#"{"name":"pl","version":"1.0.0","dependencies":{"dep":"file:./dep"},
            "toolsmith":{"tools":"./node_modules/dep/t.ts","hooks":"./node_modules/dep/hooks.json"}}"#,
    );
    place.write("plugin/dep/package.json", r#"{"name":"dep","version":"1.0.0"}"#);
    place.write("plugin/dep/t.ts", HELLO);
    place.write(
        "plugin/dep/hooks.json",
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"from-dep"}]}]}}"#,
    );
    let said = run(&place, &["plugin", "add", &place.path("plugin").display().to_string()]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    for part in ["tool node_modules/dep/t.ts (code)", "hook Stop: from-dep", "npm package dep (code)"] {
        assert!(said.stderr.contains(part), "{part}: {said:#?}");
    }
}

#[tokio::test]
async fn an_unreachable_registry_or_repository_installs_nothing() {
    let place = Place::new(&[]);
    for source in ["npm:no-such-package-here", "git:http://127.0.0.1:9/x.git"] {
        let said = run(&place, &["plugin", "add", source, "--yes"]).await;
        assert_eq!(said.code, 1, "{said:#?}");
        assert!(said.stderr.contains("failed") && said.stderr.contains("Nothing was installed"), "{said:#?}");
    }
    let left: Vec<_> = fs::read_dir(place.path("home/.toolsmith/plugins"))
        .map(|entries| entries.flatten().map(|entry| entry.file_name()).collect())
        .unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");
    for source in ["npm:--help", "nonsense", "git:ext::sh"] {
        let said = run(&place, &["plugin", "add", source, "--yes"]).await;
        assert_eq!(said.code, 2, "{said:#?}");
    }
    let said = run(&place, &["plugin", "search", "--offline", "x"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "No plugins found.\n"), "{said:#?}");
}

#[tokio::test]
async fn updates_show_what_changes_and_the_lock_file_has_the_commit() {
    let place = Place::new(&[]);
    claude_plugin(&place, "repo");
    place.write("repo/.git-hooks/post-checkout", "#!/bin/sh\ntouch pwned\n");
    let git = "git -c user.name=a -c user.email=a@b -C repo";
    shell(&place, &format!("git init -q repo && {git} add -A && {git} commit -qm one")).await;
    let source = format!("git:{}", place.path("repo").display());
    let said = run(&place, &["plugin", "add", &source, "--yes", "--json"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let commit = said.json()["fingerprint"].as_str().unwrap().to_owned();
    assert_eq!(commit.len(), 40);
    assert!(!place.path("home/.toolsmith/plugins/node_modules/office/.git").exists());
    let said = run(&place, &["plugin", "update", "--yes"]).await;
    assert!(said.stdout.contains("office is up to date"), "{said:#?}");

    place.write("repo/tools/more.ts", HELLO);
    fs::remove_file(place.path("repo/.mcp.json")).unwrap();
    shell(&place, &format!("{git} add -A && {git} commit -qm two")).await;
    let said = run(&place, &["plugin", "update"]).await;
    assert_ne!(said.code, 0, "{said:#?}");
    assert!(said.stderr.contains("+ tool tools/more.ts (code)"), "{said:#?}");
    assert!(said.stderr.contains("- MCP server docs: docs-server --x"), "{said:#?}");
    assert!(!place.path("home/.toolsmith/plugins/node_modules/office/tools/more.ts").exists());
    let said = run(&place, &["plugin", "update", "--yes", "--json"]).await;
    assert_eq!(said.json()["updated"][0], "office", "{said:#?}");
    assert!(place.path("home/.toolsmith/plugins/node_modules/office/tools/more.ts").exists());
}

#[tokio::test]
async fn marketplaces_offer_plugins() {
    let place = Place::new(&[]);
    claude_plugin(&place, "market/plugins/office");
    place.write("market/skills/csv/SKILL.md", &SKILL.replace("pdf", "csv"));
    place.write("market/skills/xml/SKILL.md", &SKILL.replace("pdf", "xml"));
    place.write(
        "market/.claude-plugin/marketplace.json",
        r#"{"name":"shop","owner":{"name":"me"},"plugins":[
            {"name":"office","source":"./plugins/office","description":"Office files"},
            {"name":"data","source":"./","strict":false,"skills":["./skills/csv"],"description":"Data files"},
            {"name":"evil","source":"../outside"}]}"#,
    );
    place.write("outside/skills/x/SKILL.md", SKILL);
    let said = run(&place, &["plugin", "add", &place.path("market").display().to_string()]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stdout.contains("office") && said.stdout.contains("plugin add NAME@shop"), "{said:#?}");
    let said = run(&place, &["plugin", "search", "--offline", "data"]).await;
    assert!(said.stdout.contains("data@shop") && !said.stdout.contains("office@shop"), "{said:#?}");
    for name in ["office@shop", "data@shop"] {
        let said = run(&place, &["plugin", "add", name, "--yes"]).await;
        assert_eq!(said.code, 0, "{said:#?}");
    }
    let said = run(&place, &["skills", "list", "--json"]).await;
    let names: Vec<String> = said.json()["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["data:csv", "office:pdf"]);
    let said = run(&place, &["plugin", "add", "evil@shop", "--yes"]).await;
    assert!(said.code == 1 && said.stderr.contains("outside the marketplace"), "{said:#?}");
    let said = run(&place, &["plugin", "add", "offic@shop", "--yes"]).await;
    assert!(said.stderr.contains("did you mean office"), "{said:#?}");
}

#[tokio::test]
async fn a_manifest_or_link_that_leads_out_of_the_plugin_is_refused() {
    let place = Place::new(&[("secret.md", "a key"), ("outside/SKILL.md", SKILL)]);
    place.write(
        "bad/.claude-plugin/plugin.json",
        r#"{"name":"bad","skills":["../outside","./skills"],"commands":"/etc","hooks":"../secret.md","mcpServers":"../x.json"}"#,
    );
    place.write("bad/skills/ok/SKILL.md", &SKILL.replace("pdf", "ok"));
    let folder = place.path("bad").display().to_string();
    let said = run(&place, &["plugin", "add", &folder, "--yes"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stderr.contains("`skills` names \"../outside\", which is outside the plugin"), "{said:#?}");
    assert!(said.stderr.contains("`commands` names \"/etc\", which is outside the plugin"), "{said:#?}");
    let said = run(&place, &["skills", "list", "--json"]).await;
    assert_eq!(said.json()["skills"].as_array().unwrap().len(), 1, "{said:#?}");
    symlink("../../../secret.md", place.path("bad/skills/ok/link.md")).unwrap();
    let said = run(&place, &["plugin", "update", "--yes"]).await;
    assert!(said.code == 1 && said.stderr.contains("lies outside"), "{said:#?}");
    place.write("worse/.claude-plugin/plugin.json", r#"{"name":"../../x","skills":[]}"#);
    place.write("worse/skills/x/SKILL.md", SKILL);
    let said = run(&place, &["plugin", "add", &place.path("worse").display().to_string(), "--yes"]).await;
    assert!(said.code == 1 && said.stderr.contains("not a valid name"), "{said:#?}");
    let said = run(&place, &["plugin", "add", &place.path("outside").display().to_string(), "--yes"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
}
