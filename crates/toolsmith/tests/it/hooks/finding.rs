//! Which hooks there are, and what is wrong with those that cannot be used.

use std::os::unix::fs::symlink;

use serde_json::json;
use toolsmith::{TrustDecision, trust_store};
use toolsmith_host::exec::{Request, run};
use toolsmith_tool::CancelToken;

use super::place::{hooks, settings};
use crate::place::Place;

fn event(line: &str) -> (String, &'static str, String) {
    let parts: Vec<&str> = line.splitn(3, ' ').collect();
    let status = if parts[1] == "user" { "user" } else { "new" };
    (parts[0].to_owned(), status, parts[2].to_owned())
}

#[test]
fn c11_1_file_hooks_are_executables_named_after_a_tool_the_users_first() {
    let place = Place::new(&[]);
    for path in [
        "project/.toolsmith/hooks/pre/write",
        "project/.toolsmith/hooks/post/_all.sh",
        "home/.toolsmith/agent/hooks/pre/bash.py",
        "home/.toolsmith/agent/hooks/pre/.hidden",
        "home/.toolsmith/agent/hooks/pre/README.md",
        "home/.toolsmith/agent/hooks/pre/old~",
        "home/.toolsmith/agent/hooks/other/bash",
    ] {
        place.executable(path, "#!/bin/sh\nexit 0\n");
    }
    let expected = [
        "PreToolUse user home/.toolsmith/agent/hooks/pre/bash.py",
        "PreToolUse new project/.toolsmith/hooks/pre/write",
        "PostToolUse new project/.toolsmith/hooks/post/_all.sh",
    ];
    assert_eq!(place.listed(), expected.map(event));
    let matchers: Vec<String> =
        place.hooks().hooks.iter().map(|found| found.hook.matcher.as_text()).collect();
    assert_eq!(matchers, ["bash", "write", ""]);
    assert!(place.warnings().contains("2 hooks of this project do not run until you confirm them"));
}

#[test]
fn c11_2_hook_files_of_all_agents_are_read() {
    let place = Place::new(&[]);
    place.write("home/.toolsmith/agent/hooks.json", &settings("PreToolUse", "bash", "own-user"));
    place.write("project/.toolsmith/hooks.json", &settings("PreToolUse", "bash", "own-project"));
    place.write("project/.claude/settings.json", &settings("PreToolUse", "Bash", "claude"));
    place.write("project/.claude/settings.local.json", &settings("Stop", "", "claude-local"));
    place.write("project/.codex/hooks.json", &settings("PostToolUse", "apply_patch", "codex"));
    place.write(
        "project/.codex/config.toml",
        "model = \"x\"\n[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype = \"command\"\ncommand = \"codex-toml\"\n",
    );
    place.write("home/.claude/settings.json", &settings("PreToolUse", "Bash", "claude-user"));
    place.write("home/.codex/hooks.json", &settings("PreToolUse", "Bash", "codex-user"));
    let expected = [
        "PreToolUse user own-user",
        "PreToolUse new own-project",
        "PreToolUse new claude",
        "Stop new claude-local",
        "PostToolUse new codex",
        "SessionStart new codex-toml",
    ];
    assert_eq!(place.listed(), expected.map(event));
    // Hooks of the user for other agents run here only on request.
    place.write("home/.toolsmith/config.toml", "hooks.import = [\"claude\", \"codex\"]\n");
    let user: Vec<String> = place
        .listed()
        .into_iter()
        .filter(|(_, status, _)| *status == "user")
        .map(|(.., what)| what)
        .collect();
    assert_eq!(user, ["own-user", "claude-user", "codex-user"]);
}

#[test]
fn c2_8_hooks_of_an_untrusted_project_wait_for_trust() {
    let mut place = Place::new(&[]).untrusted();
    place.write("project/.claude/settings.json", &settings("PreToolUse", "", "touch evidence"));
    place.executable("project/.toolsmith/hooks/pre/bash", "#!/bin/sh\n");
    assert_eq!(place.statuses(), ["untrusted", "untrusted"]);
    assert!(place.hooks().active().is_empty());
    // Trust alone is not enough.
    trust_store(&place.home()).add(&place.cwd()).unwrap();
    place.trust = TrustDecision::from_list(trust_store(&place.home()).load().unwrap());
    assert_eq!(place.statuses(), ["new", "new"]);
    assert!(place.hooks().active().is_empty());
    place.trust = TrustDecision::everything();
    assert!(place.hooks().active().is_empty(), "nor is --trust");
}

#[test]
fn c5_8_a_question_about_a_request_shows_all_of_it() {
    let place = Place::new(&[]);
    let url = format!("http://harmless.example:{}@127.0.0.1/elsewhere?q=1", "0".repeat(100));
    let handler = json!({ "type": "http", "url": url, "headers": { "X-Sent": "$SECRET" }, "allowedEnvVars": ["SECRET"] });
    place.write("project/.claude/settings.json", &hooks("PreToolUse", "Bash", &handler));
    let what = format!("sends the event to {url}, X-Sent: $SECRET, with the variables SECRET");
    assert_eq!(place.listed(), [("PreToolUse".to_owned(), "new", what)]);
}

#[test]
fn c11_2_what_cannot_run_is_reported() {
    let place = Place::new(&[]);
    let file = json!({ "hooks": {
        "PreToolUse": [
            { "matcher": "Bash(", "hooks": [{ "type": "command", "command": "a" }] },
            { "matcher": "Bash", "hooks": [
                { "type": "prompt", "prompt": "is this fine?" },
                { "type": "agent", "prompt": "look" },
                { "type": "mcp_tool", "server": "s", "tool": "t" },
                { "type": "command" },
                { "type": "command", "command": "ok", "timeout": "soon" },
                { "type": "http", "url": "ftp://x" },
                "nonsense",
                { "type": "command", "command": "fine", "if": "Bash(" },
            ] },
            "nonsense",
        ],
        "FileChanged": [{ "hooks": [{ "type": "command", "command": "b" }] }],
        "PreTool": [{ "hooks": [{ "type": "command", "command": "c" }] }],
        "Stop": "nonsense",
        "SubagentStop": [],
    } });
    place.write("project/.claude/settings.json", &file.to_string());
    let warnings = place.warnings();
    for problem in [
        "not a valid regular expression",
        "type \"prompt\" are not supported",
        "type \"agent\" are not supported",
        "type \"mcp_tool\" are not supported",
        "needs a `command`",
        "the timeout is \"soon\"",
        "must start with http",
        "not an object",
        "a group has no list `hooks`",
        "the rule \"Bash(\" is not understood; the hook runs for every call",
        "(FileChanged) this event does not occur",
        "(PreTool) unknown event",
        "(Stop) expected a list of groups",
        "(SubagentStop) there are no subagents",
    ] {
        assert!(warnings.contains(problem), "{problem}\n{warnings}");
    }
    assert_eq!(place.listed().len(), 1);
}

#[test]
fn a_guard_of_the_user_with_a_mistake_blocks_instead_of_vanishing() {
    for text in
        ["{ broken", r#"{"PreToolUse": [{"matcher": "(", "hooks": []}]}"#, r#"{"hooks": []}"#, "\u{0}"]
    {
        let place = Place::new(&[("home/.toolsmith/agent/hooks.json", text)]);
        let active = place.hooks().active();
        assert_eq!(active.len(), 1, "{text}");
        assert!(active[0].check.as_ref().unwrap()().is_err() && active[0].fails_closed);
    }
    // One of another agent is reported.
    let place = Place::new(&[("project/.claude/settings.json", "{ broken")]);
    assert!(place.hooks().active().is_empty());
    assert!(place.warnings().contains("is not used as a hook file"));
}

#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let place = Place::new(&[]);
    place.executable("elsewhere/evil", "#!/bin/sh\ntouch evidence\n");
    place.write("elsewhere/settings.json", &settings("PreToolUse", "", "evil"));
    place.write("project/.toolsmith/hooks/pre/.keep", "");
    place.write("project/.claude/.keep", "");
    symlink(place.path("elsewhere/evil"), place.path("project/.toolsmith/hooks/pre/bash")).unwrap();
    symlink(place.path("elsewhere/settings.json"), place.path("project/.claude/settings.json")).unwrap();
    symlink("/nowhere", place.path("project/.toolsmith/hooks/pre/write")).unwrap();
    assert!(place.listed().is_empty());
    let warnings = place.warnings();
    assert!(warnings.contains("leads out of the project") && warnings.contains("lies outside"), "{warnings}");
}

#[tokio::test]
async fn files_that_are_not_files_do_not_hang_discovery() {
    let place = Place::new(&[]);
    place.write("project/.claude/.keep", "");
    place.write("project/.toolsmith/hooks/pre/.keep", "");
    for path in ["project/.claude/settings.json", "project/.toolsmith/hooks/pre/bash"] {
        let request = Request::new("mkfifo").args([place.path(path).to_str().unwrap()]);
        assert_eq!(run(&request, &CancelToken::new(), |_| {}).await.unwrap().code, 0);
    }
    let warnings = place.warnings();
    assert!(warnings.contains("not a regular file"), "{warnings}");
}

#[test]
fn a_file_that_is_not_executable_says_so() {
    let place = Place::new(&[("home/.toolsmith/agent/hooks/pre/bash", "exit 0\n")]);
    assert!(place.warnings().contains("it is not executable; use `chmod +x`"), "{}", place.warnings());
    assert_eq!(place.hooks().active().len(), 1, "it blocks");
    // A known extension or a first line says how to run it.
    let place = Place::new(&[
        ("home/.toolsmith/agent/hooks/pre/bash.sh", "exit 0\n"),
        ("home/.toolsmith/agent/hooks/pre/read.py", ""),
        ("home/.toolsmith/agent/hooks/pre/write.js", "#!/usr/bin/env node\n"),
    ]);
    assert!(place.warnings().is_empty(), "{}", place.warnings());
}

#[test]
fn hooks_can_be_turned_off_in_the_files_of_claude_code() {
    let mut file: serde_json::Value =
        serde_json::from_str(&hooks("Stop", "", &json!({ "type": "command", "command": "x" }))).unwrap();
    file["disableAllHooks"] = true.into();
    let place = Place::new(&[("project/.claude/settings.json", &file.to_string())]);
    assert!(place.listed().is_empty());
}

#[test]
fn the_files_of_a_home_that_is_the_working_directory_are_the_users() {
    let place = Place::new(&[("home/.claude/settings.json", &settings("Stop", "", "mine"))]);
    let options =
        toolsmith::HookOptions::new(place.path("home"), place.home()).trust(TrustDecision::everything());
    assert!(toolsmith::discover_hooks(&options).hooks.is_empty());
}

#[test]
fn c11_2_hooks_of_an_installed_plugin_are_the_users_and_can_be_disabled() {
    let place = Place::new(&[]);
    let plugin = "home/.toolsmith/plugins/node_modules/guard";
    place.write(
        &format!("{plugin}/package.json"),
        r#"{"name":"guard","version":"1.0.0","toolsmith":{"tools":[]}}"#,
    );
    let file = settings("PreToolUse", "Bash", "${CLAUDE_PLUGIN_ROOT}/check.sh");
    place.write(&format!("{plugin}/hooks/hooks.json"), &file);
    let expected = format!("PreToolUse user {plugin}/check.sh");
    assert_eq!(place.listed(), [event(&expected)]);
}
