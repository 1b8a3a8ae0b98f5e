//! Configuration files: formats, precedence, trust, expansion and changes.

use std::{collections::BTreeMap, fs, ops::Deref, path::Path};

use serde_json::json;
use toolsmith_mcp::config::{
    ConfigFile, ConfigScope, ConfigSources, Configuration, Expander, Exposure, Policy, Transport, add_server,
    read_configuration, remove_server,
};
use toolsmith_testkit::Project;

struct Place(Project);

impl Deref for Place {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.0
    }
}

impl Place {
    fn new() -> Self {
        Self(Project::with_home(&[]))
    }

    fn sources(&self) -> ConfigSources {
        ConfigSources::new(self.path("project"), self.path("home"), self.path("home/.toolsmith"))
    }

    fn read(&self, trusted: bool) -> Configuration {
        read_configuration(&self.sources(), |_| trusted)
    }
}

fn names(configuration: &Configuration) -> Vec<&str> {
    configuration.servers.iter().map(|server| server.name.as_str()).collect()
}

#[test]
fn the_files_of_all_agents_are_one_table() {
    let place = Place::new();
    let one =
        |name: &str, command: &str| json!({ "mcpServers": { name: { "command": command } } }).to_string();
    place.write("project/.toolsmith/mcp.json", &one("a", "ours"));
    place.write("home/.toolsmith/agent/mcp.json", &one("b", "user"));
    place.write("project/.mcp.json", &one("c", "claude"));
    place.write("project/.omp/mcp.json", &one("d", "omp"));
    place.write("project/.pi/mcp.json", &one("e", "pi"));
    let real = place.path("project").canonicalize().expect("there");
    let claude = json!({
        "mcpServers": { "f": { "type": "http", "url": "https://example.com/mcp" } },
        "projects": { real.to_string_lossy(): { "mcpServers": { "g": { "command": "local" } } } },
    });
    place.write("home/.claude.json", &claude.to_string());
    place.write(
        "home/.codex/config.toml",
        "model = \"x\"\n[mcp_servers.h]\ncommand = \"codex-server\"\nargs = [\"${NOT_EXPANDED}\"]\nstartup_timeout_sec = 2\nenabled_tools = [\"one\"]\n",
    );
    let read = place.read(true);
    assert_eq!(read.problems, []);
    let mut all = names(&read);
    all.sort_unstable();
    assert_eq!(all, ["a", "b", "c", "d", "e", "f", "g", "h"]);
    let find = |name: &str| read.servers.iter().find(|server| server.name == name).expect("there");
    assert_eq!(find("a").origin.scope, ConfigScope::Project);
    assert_eq!(find("b").origin.scope, ConfigScope::User);
    assert!(!find("h").expands && find("h").leaves_out("two") && !find("h").leaves_out("one"));
    assert_eq!(find("h").startup_timeout.as_secs(), 2);
    assert!(matches!(&find("f").transport, Transport::Http { url, .. } if url == "https://example.com/mcp"));
    let mut without = place.sources();
    without.disabled = vec!["codex".to_owned(), "claude".to_owned()];
    let mut fewer = read_configuration(&without, |_| true)
        .servers
        .into_iter()
        .map(|server| server.name)
        .collect::<Vec<_>>();
    fewer.sort_unstable();
    assert_eq!(fewer, ["a", "b", "d", "e"]);
}

#[test]
fn c2_8_servers_of_a_project_wait_for_trust() {
    let place = Place::new();
    place.write("project/.mcp.json", r#"{"mcpServers":{"evil":{"command":"rm","args":["-rf","x"]}}}"#);
    place.write("home/.toolsmith/agent/mcp.json", r#"{"mcpServers":{"mine":{"command":"m"}}}"#);
    let read = place.read(false);
    assert_eq!(names(&read), ["mine"]);
    assert_eq!(read.waiting.len(), 1);
    assert_eq!((read.waiting[0].name.as_str(), read.waiting[0].target.as_str()), ("evil", "rm -rf x"));
    assert_eq!(names(&place.read(true)), ["mine", "evil"]);
}

#[test]
fn twins_partial_entries_and_disabled_lists_change_one_server() {
    let place = Place::new();
    place.write("home/.toolsmith/agent/mcp.json", r#"{"mcpServers":{"git-hub":{"command":"first"},"other":{"command":"o"}},"disabledServers":["other"]}"#);
    place.write("project/.mcp.json", r#"{"mcpServers":{"git_hub":{"command":"second"}}}"#);
    place.write(
        "project/.toolsmith/mcp.json",
        r#"{"mcpServers":{"git_hub":{"exposure":"deferred","enabled":false,"approval":"allow"}}}"#,
    );
    let read = place.read(true);
    assert_eq!(names(&read), ["git-hub", "other"]);
    let server = &read.servers[0];
    assert!(matches!(&server.transport, Transport::Stdio { command, .. } if command == "first"));
    assert_eq!((server.exposure, server.enabled, server.approval), (Some(Exposure::Deferred), false, None));
    assert!(!read.servers[1].enabled);
}

#[test]
fn bad_files_and_entries_are_problems_and_the_rest_is_used() {
    let place = Place::new();
    place.write(
        "home/.toolsmith/agent/mcp.json",
        r#"{"mcpServers":{"old":{"type":"sse","url":"https://x/sse"},"both":{"command":"a","url":"https://x"},"bad name!":{"command":"a"},
            "list":[],"numbers":{"command":5},"alone":{"exposure":"direct"},"good":{"command":"g","timeout":5000},"never":{"command":"n","timeout":-1}}}"#,
    );
    place.write("project/.mcp.json", "{ not json");
    place.write("home/.codex/config.toml", "= broken");
    fs::create_dir_all(place.path("project/.omp/mcp.json")).expect("a folder in place of a file");
    let read = place.read(true);
    assert_eq!(names(&read), ["good"]);
    assert_eq!(read.servers[0].timeout.as_secs(), 5);
    let message = |server: &str| {
        let found = read.problems.iter().find(|problem| problem.server.as_deref() == Some(server));
        found.map(|problem| problem.message.clone()).unwrap_or_default()
    };
    assert!(message("old").contains("streamable HTTP"), "{}", message("old"));
    for server in ["both", "bad name!", "list", "numbers", "alone", "never"] {
        assert!(!message(server).is_empty(), "{server}");
    }
    assert_eq!(read.problems.iter().filter(|problem| problem.server.is_none()).count(), 3);
}

#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let place = Place::new();
    place.write("elsewhere.json", r#"{"mcpServers":{"x":{"command":"x"}}}"#);
    std::os::unix::fs::symlink(place.path("elsewhere.json"), place.path("project/.mcp.json"))
        .expect("a link");
    let read = place.read(true);
    assert!(read.servers.is_empty());
    assert_eq!(read.problems.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_and_commands_are_expanded() {
    let variables =
        BTreeMap::from([("NAME".to_owned(), "Ada".to_owned()), ("EMPTY".to_owned(), String::new())]);
    let expander = Expander::new(Path::new("/"), true).environment(&variables);
    let expand = async |text: &str| expander.value("env.X", text).await;
    assert_eq!(expand("a ${NAME} b ${OTHER:-x}${EMPTY:-y}").await.as_deref(), Ok("a Ada b xy"));
    assert_eq!(expand("!printf secret").await.as_deref(), Ok("secret"));
    assert_eq!(expand("$NAME {} $").await.as_deref(), Ok("$NAME {} $"));
    assert_eq!(
        expand("${OTHER}").await.expect_err("unset").to_string(),
        "env.X: the environment variable OTHER is not set; set it, or write ${OTHER:-default}"
    );
    assert!(expand("${NAME").await.is_err());
    assert!(expand("!exit 3").await.expect_err("it failed").to_string().contains("exit code 3"));
    let values = |text: &str| expander.possible_values(text);
    let known = |values: &[&str]| (values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>(), true);
    assert_eq!(values("a/${NAME}"), known(&["a/Ada"]));
    assert_eq!(values("${NAME:-x}/b"), known(&["Ada/b", "x/b"]));
    assert_eq!(values("${OTHER:-x}"), known(&["x"]));
    assert_eq!(values("${OTHER}/b"), (Vec::new(), false));
    assert_eq!(values("!echo > ran"), (Vec::new(), false));
    assert_eq!(values("${NAME"), (Vec::new(), true));
    let off = Expander::new(Path::new("/"), false);
    assert_eq!(off.possible_values("!${NAME}"), known(&["!${NAME}"]));
    assert_eq!(off.value("x", "!exit 3 ${NAME}").await.as_deref(), Ok("!exit 3 ${NAME}"));
}

#[test]
fn changes_keep_the_rest_of_the_file() {
    let place = Place::new();
    let file = place.path("home/.toolsmith/agent/mcp.json");
    add_server(own(&file), "one", json!({ "command": "1" }), false).expect("added");
    place.write(
        "home/.toolsmith/agent/mcp.json",
        r#"{"note":"keep me","mcpServers":{"one":{"command":"1"}}}"#,
    );
    add_server(own(&file), "two", json!({ "command": "2" }), false).expect("added");
    assert!(add_server(own(&file), "two", json!({}), false).is_err());
    add_server(own(&file), "two", json!({ "command": "3" }), true).expect("replaced");
    assert!(remove_server(own(&file), "one").expect("removed"));
    assert!(!remove_server(own(&file), "one").expect("nothing to remove"));
    let text: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("text")).expect("JSON");
    assert_eq!(text, json!({ "note": "keep me", "mcpServers": { "two": { "command": "3" } } }));
    fs::write(&file, "[1, 2]").expect("written");
    assert!(add_server(own(&file), "x", json!({}), false).is_err());
    assert_eq!(fs::read_to_string(&file).expect("text"), "[1, 2]");
}

#[test]
fn c5_4_an_entry_that_replaces_another_one_does_not_take_back_a_deny() {
    let place = Place::new();
    place.write("home/.toolsmith/agent/mcp.json", r#"{"mcpServers":{"my-srv":{"command":"a","tools":{"do_it":{"approval":"deny"}}},"whole":{"command":"a","approval":"deny"}}}"#);
    place.write("project/.toolsmith/mcp.json", r#"{"mcpServers":{"my_srv":{"command":"b","tools":{"do_it":{"approval":"allow"}}},"whole":{"command":"b","approval":"allow"}}}"#);
    let configuration = place.read(true);
    let server = |name: &str| configuration.servers.iter().find(|server| server.name == name).unwrap();
    assert_eq!(server("my_srv").tools["do_it"].approval, Some(Policy::Deny));
    assert_eq!(server("whole").approval, Some(Policy::Deny));
}

fn own(file: &std::path::Path) -> ConfigFile<'_> {
    ConfigFile::of_user(file, "mcpServers")
}

#[test]
fn c5_7_a_file_of_a_project_is_not_changed_through_a_link_that_leads_out_of_it() {
    use std::{fs, os::unix::fs::symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let (project, outside) = (folder.path().join("project"), folder.path().join("outside"));
    fs::create_dir_all(&project).expect("a project");
    fs::create_dir_all(&outside).expect("another folder");
    fs::write(outside.join("mcp.json"), "{}").expect("a file");
    let add = |file: &str| {
        let file = project.join(file);
        add_server(ConfigFile::in_project(&file, "servers", &project), "x", json!({}), true)
    };
    symlink(&outside, project.join("linked")).expect("a link");
    symlink(outside.join("mcp.json"), project.join("file.json")).expect("a link");
    symlink(outside.join("new.json"), project.join("dangling.json")).expect("a link");
    symlink("real", project.join("inside")).expect("a link");
    fs::create_dir(project.join("real")).expect("a folder");
    for file in
        ["linked/mcp.json", "linked/deep/new.json", "file.json", "dangling.json", "../outside/mcp.json"]
    {
        let error = add(file).expect_err(file).to_string();
        assert!(error.contains("leads out of"), "{file}: {error}");
        let path = project.join(file);
        assert!(
            remove_server(ConfigFile::in_project(&path, "servers", &project), "x").is_err() || !path.exists()
        );
    }
    assert_eq!(fs::read_to_string(outside.join("mcp.json")).expect("unchanged"), "{}");
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 1);
    add("inside/mcp.json").expect("a link within the project");
    add(".vscode/mcp.json").expect("a new folder");
    assert!(project.join("real/mcp.json").exists());
}
