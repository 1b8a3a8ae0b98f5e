//! Files that configured commands start: of MCP servers, hooks and keys of the user.

use serde_json::{Value, json};
use toolsmith::Tier;

use crate::place::{Place, write_tiers_of};

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
async fn c5_7_a_name_may_contain_spaces_and_characters_of_a_shell() {
    for name in [
        "my server.py",
        "a\u{a0}b.py",
        "a(b).py",
        "a&b.py",
        "x=y.py",
        "a*.py",
        "a!.py",
        "it's.py",
        "a\"b.py",
        "a$b.py",
        "a{b.py",
        "a;b.py",
        "a<b>.py",
        "a`b|c.py",
    ] {
        let files = [name.to_owned(), format!("my dir/{name}"), format!("deep/{name}/s.py")];
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        for at in 0..files.len() {
            let absolute = format!("{{}}/{}", files[at]);
            for argument in
                [files[at].to_owned(), format!("./{}", files[at]), format!("--file={}", files[at]), absolute]
            {
                let place = Place::new(&[]);
                let argument = argument.replacen("{}", &place.cwd().to_string_lossy(), 1);
                let servers = json!({ "mcpServers": { "s": { "command": "python3", "args": [argument] } } });
                place.write("home/.toolsmith/agent/mcp.json", &servers.to_string());
                assert_eq!(place.write_tiers(&files[at..=at]).await, [EXEC], "{argument}");
            }
        }
    }
    // The same for a file that exists, and for hooks.
    let entry = json!({ "command": "python3", "args": ["my server.py"] });
    let place = with_server(&entry, &[("project/my server.py", "")]);
    assert_eq!(place.write_tiers(&["my server.py", "other server.py"]).await, [EXEC, WRITE]);
    for (command, file) in [
        ("sh \"my hook.sh\"", "my hook.sh"),
        ("sh my\\ hook.sh", "my hook.sh"),
        ("sh -c \"sh 'my hook.sh'\"", "my hook.sh"),
        ("cd 'my dir' && ./hook.sh", "my dir/hook.sh"),
        ("python3 --conf='a b/c d.py'", "a b/c d.py"),
    ] {
        assert_eq!(with_hook(command).write_tiers(&[file]).await, [EXEC], "{command}");
    }
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
    // White space before the command does not hide it.
    for space in [" ", "\\n", "\\u00a0"] {
        let place = Place::new(&[]).untrusted();
        place.write("project/.toolsmith/config.toml", &provider.replace("!sh", &format!("{space}!sh")));
        assert_eq!(place.write_tiers(&["key.sh"]).await, [EXEC], "{space}");
        let waiting: Vec<String> = place.settings().waiting.iter().map(|it| it.summary()).collect();
        let shown = "providers.own.api_key, the output of: sh key.sh";
        assert!(waiting.iter().any(|line| line == shown), "{space}: {waiting:?}");
    }
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

fn servers(command: &str) -> String {
    json!({ "mcpServers": { "s": { "command": command } } }).to_string()
}

fn hooks(command: &str) -> String {
    let handler = json!({ "type": "command", "command": command });
    json!({ "hooks": { "PreToolUse": [{ "hooks": [handler] }] } }).to_string()
}

fn provider(key: &str) -> String {
    format!(
        "[providers.own]\nwire = \"openai-completions\"\nbase_url = \"http://127.0.0.1:9\"\napi_key = \"{key}\"\n"
    )
}

/// Files that name programs, each with its content for a program.
type Configuration = (&'static str, fn(&str) -> String);

const OF_A_PROJECT: [Configuration; 7] = [
    ("project/.mcp.json", servers),
    ("project/.toolsmith/mcp.json", servers),
    ("project/.omp/mcp.json", servers),
    ("project/.toolsmith/config.toml", |program| provider(&format!("!{program}"))),
    ("project/.toolsmith/hooks.json", hooks),
    ("project/.claude/settings.json", hooks),
    ("project/.codex/config.toml", |program| {
        format!("[[hooks.PreToolUse]]\nhooks = [{{ type = \"command\", command = \"{program}\" }}]\n")
    }),
];

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_programs_of_a_project_that_waits_for_trust_are_exec() {
    for (file, text) in OF_A_PROJECT {
        let place = Place::new(&[(file, &text("./sub/x.sh"))]).untrusted();
        place.write("project/sub/other.sh", "");
        place.write("project/.git/HEAD", "");
        assert_eq!(place.write_tiers(&["sub/x.sh", "sub/other.sh"]).await, [EXEC, WRITE], "{file}");
        let tiers = place.write_tiers_in(&place.path("project/sub"), &["x.sh", "other.sh"]).await;
        assert_eq!(tiers, [EXEC, WRITE], "{file}");
    }
    // An entry that another one replaces, and one of a project above the project.
    let place = Place::new(&[("project/.mcp.json", &servers("./sub/x.sh"))]).untrusted();
    place.write("project/.git/HEAD", "");
    place.write("home/.toolsmith/agent/mcp.json", &servers("./sub/y.sh"));
    place.write("project/sub/.claude/settings.json", &hooks("./z.sh"));
    let tiers = place.write_tiers_in(&place.path("project/sub"), &["x.sh", "y.sh", "z.sh", "a.sh"]).await;
    assert_eq!(tiers, [EXEC, EXEC, EXEC, WRITE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_programs_that_a_changed_configuration_names_are_exec_at_once() {
    let of_the_user: [Configuration; 4] = [
        ("home/.toolsmith/agent/mcp.json", servers),
        ("home/.toolsmith/agent/hooks.json", hooks),
        ("home/.claude/settings.json", hooks),
        ("home/.toolsmith/config.toml", |program| provider(&format!("!{program}"))),
    ];
    for (file, text) in OF_A_PROJECT.into_iter().chain(of_the_user) {
        for place in [Place::new(&[]), Place::new(&[]).untrusted()] {
            let session = place.writing_session(&place.cwd()).await;
            let programs = ["x.sh", "y.sh"];
            assert_eq!(write_tiers_of(&session, &programs).await, [WRITE, WRITE], "{file}");
            place.write(file, &text("./x.sh"));
            assert_eq!(write_tiers_of(&session, &programs).await, [EXEC, WRITE], "{file}");
            // Of the same length, and at once.
            place.write(file, &text("./y.sh"));
            assert_eq!(write_tiers_of(&session, &["y.sh", "z.sh"]).await, [EXEC, WRITE], "{file}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_programs_of_a_plugin_that_is_installed_during_a_session_are_exec() {
    let place = Place::new(&[]);
    let session = place.writing_session(&place.cwd()).await;
    assert_eq!(write_tiers_of(&session, &["x.sh", "y.sh"]).await, [WRITE, WRITE]);
    let folder = "home/.toolsmith/plugins/node_modules/p";
    let server = json!({ "command": "./x.sh" });
    let manifest = json!({ "name": "p", "toolsmith": { "mcpServers": { "s": server }, "hooks": "h.json" } });
    place.write(&format!("{folder}/package.json"), &manifest.to_string());
    place.write(&format!("{folder}/h.json"), &hooks("./y.sh"));
    assert_eq!(write_tiers_of(&session, &["x.sh", "y.sh", "z.sh"]).await, [EXEC, EXEC, WRITE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_the_program_that_gives_the_key_of_an_extension_is_exec() {
    let registering = |key: &str| {
        format!(
            r#"pi.registerProvider("own", {{ api: "openai-completions", baseUrl: "http://127.0.0.1:9", apiKey: "!{key}", models: [{{ id: "m" }}] }});"#
        )
    };
    let module = format!(
        r#"export default (pi) => {{ {} pi.on("session_start", () => {{ {} }}); }};"#,
        registering("./first.sh"),
        registering("sh later.sh")
    );
    let place = Place::new(&[("project/.toolsmith/extensions/own.ts", &module)]);
    let tiers = place.write_tiers(&["first.sh", "later.sh", "other.sh"]).await;
    assert_eq!(tiers, [EXEC, EXEC, WRITE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_a_file_of_a_hook_that_cannot_be_confirmed_is_exec() {
    let place =
        Place::new(&[("project/hk.sh", ""), ("project/.claude/settings.json", &hooks("./hk.sh ./large"))]);
    // More than a file that is hashed may have.
    let large = std::fs::File::create(place.path("project/large")).unwrap();
    large.set_len(17 << 20).unwrap();
    assert_eq!(place.write_tiers(&["hk.sh", "other.sh"]).await, [EXEC, WRITE]);
}
