//! Ways around trust and hash.

use std::{fs, os::unix::fs::symlink, path::Path, sync::Arc};

use toolsmith::{change_store, write_rules};
use toolsmith_host::location::{Location, Protected, Verdict};

use super::place::settings;
use crate::place::Place;

fn verdict(place: &Place, file: &str) -> Verdict {
    verdict_with(place, &place.path(file), Arc::default())
}

fn verdict_with(place: &Place, file: &Path, protected: Arc<Protected>) -> Verdict {
    let store = change_store(&place.home()).unwrap();
    let rules = write_rules(&place.cwd(), &place.home(), &store, protected);
    let real = Location::resolve(file).unwrap().real_path().to_path_buf();
    rules.judge(file, &real)
}

#[test]
fn c5_7_every_place_of_a_hook_is_exec_and_the_list_of_hashes_is_refused() {
    let place = Place::new(&[]);
    for file in [
        "project/.toolsmith/hooks/pre/bash",
        "project/.toolsmith/hooks.json",
        "project/.claude/settings.json",
        "project/.claude/settings.local.json",
        "project/.claude/hooks/guard.py",
        "project/.codex/hooks.json",
        "project/.codex/config.toml",
        "project/deep/.CLAUDE/Settings.json",
        "home/.toolsmith/agent/hooks/pre/bash",
        "home/.toolsmith/agent/hooks.json",
        "home/.claude/settings.json",
        "home/.codex/config.toml",
    ] {
        assert!(matches!(verdict(&place, file), Verdict::Exec { .. }), "{file}");
    }
    for file in ["confirmed-hooks.json", "Confirmed-Hooks.json", "confirmed-hooks.json.tmp", "trust.json"] {
        let file = format!("home/.toolsmith/{file}");
        assert!(matches!(verdict(&place, &file), Verdict::Refused { .. }), "{file}");
    }
    // Also by a link from the project.
    place.write("home/.toolsmith/confirmed-hooks.json", "{}");
    symlink(place.path("home/.toolsmith/confirmed-hooks.json"), place.path("project/notes.txt")).unwrap();
    assert!(matches!(verdict(&place, "project/notes.txt"), Verdict::Refused { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_scripts_that_hooks_name_are_exec_wherever_they_lie() {
    let place = Place::new(&[("project/scripts/check.sh", "exit 0\n"), ("project/scripts/other.sh", "")]);
    place.write("project/.claude/settings.json", &settings("PreToolUse", "", "sh scripts/check.sh"));
    let found = place.write_tiers(&["scripts/check.sh", "scripts/other.sh"]).await;
    assert_eq!(found, [toolsmith::Tier::Exec, toolsmith::Tier::Write]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_files_that_a_runtime_would_start_for_a_hook_are_exec_before_they_exist() {
    let place = Place::new(&[("project/hk/package.json", r#"{"main":"m.js"}"#), ("project/hk/m.js", "")]);
    place.write("project/pkg/x.py", "");
    place.write("project/.claude/settings.json", &settings("PreToolUse", "", "node hk; python3 -m pkg.x"));
    let files = ["hk/package.json", "hk/m.js", "hk/index.js", "pkg/__init__.py", "pkg/x.py", "pkg.py"];
    assert_eq!(place.write_tiers(&files).await, [toolsmith::Tier::Exec; 6]);
    assert_eq!(place.write_tiers(&["hk/n.js", "pkg/y.py"]).await, [toolsmith::Tier::Write; 2]);
}

/// A hook whose command names this, confirmed; then `change`.
fn after(command: &str, files: &[(&str, &str)], change: impl FnOnce(&Place)) -> (&'static str, bool) {
    let place = Place::new(files);
    place.write("project/.claude/settings.json", &settings("PreToolUse", "", command));
    place.confirm();
    let found = place.hooks();
    assert_eq!(found.hooks[0].status.as_str(), "confirmed", "{command}");
    change(&place);
    let refused = found.active()[0].check.as_ref().unwrap()().is_err();
    (place.statuses()[0], refused)
}

#[test]
fn c11_2_scripts_are_watched_however_the_command_runs_them() {
    let script = ("project/tools/x.py", "ok");
    for command in [
        "python3 tools/x.py",
        "python3 -I -u ./tools/x.py --flag",
        "env A=1 python3 \"$CLAUDE_PROJECT_DIR/tools/x.py\"",
        "sh -c 'exec python3 tools/x.py'",
        "cat tools/x.py | python3",
        "bash -c \"source tools/x.py\"",
        "PYTHONSTARTUP=tools/x.py python3 -i",
        "python3 < tools/x.py",
        "node --require=./tools/x.py -e 0",
        "curl -d @tools/x.py localhost",
    ] {
        let outcome = after(command, &[script], |place| place.write("project/tools/x.py", "evil"));
        assert_eq!(outcome, ("changed", true), "{command}");
    }
}

#[test]
fn a_file_that_appears_later_and_a_folder_of_scripts_are_watched() {
    let later = "if [ -x ./extra.sh ]; then ./extra.sh; fi";
    let outcome = after(later, &[], |place| place.write("project/extra.sh", "evil"));
    assert_eq!(outcome, ("changed", true));
    let outcome = after("run-parts hk", &[("project/hk/a", "")], |place| place.write("project/hk/b", "evil"));
    assert_eq!(outcome, ("changed", true));
    let folder = "for f in .claude/hooks.d/*.sh; do sh $f; done";
    let outcome = after(folder, &[("project/.claude/hooks.d/a.sh", "")], |place| {
        place.write("project/.claude/hooks.d/b.sh", "evil");
    });
    assert_eq!(outcome, ("changed", true));
}

#[test]
fn links_are_watched_at_both_ends() {
    let place = Place::new(&[("project/real/a.sh", "a"), ("project/real/b.sh", "a")]);
    symlink("real/a.sh", place.path("project/run.sh")).unwrap();
    place.write("project/.claude/settings.json", &settings("PreToolUse", "", "sh ./run.sh"));
    place.confirm();
    let check = place.hooks().active()[0].check.clone().unwrap();
    assert!(check().is_ok());
    // The same content elsewhere is another hook: it may change on its own.
    fs::remove_file(place.path("project/run.sh")).unwrap();
    symlink("real/b.sh", place.path("project/run.sh")).unwrap();
    assert!(check().is_err());
    assert_eq!(place.statuses(), ["changed"]);
}

#[test]
fn programs_that_decide_by_files_of_the_project_are_named() {
    let place =
        Place::new(&[("project/.claude/settings.json", &settings("PreToolUse", "", "npm run guard"))]);
    assert_eq!(place.hooks().hooks[0].uncovered, ["npm"]);
}

#[test]
fn a_hook_with_too_much_code_beside_it_cannot_be_confirmed() {
    let place = Place::new(&[(
        "project/.claude/settings.json",
        &settings("PreToolUse", "", "sh .claude/hooks/a.sh"),
    )]);
    for n in 0..600 {
        place.write(&format!("project/.claude/hooks/{n}.sh"), "");
    }
    place.write("project/.claude/hooks/a.sh", "");
    assert!(place.warnings().contains("too many files"), "{}", place.warnings());
    place.confirm();
    assert_eq!(place.statuses(), ["new"]);
}

#[test]
fn c11_2_what_a_runtime_starts_is_watched_also_if_the_command_names_only_a_directory_or_a_module() {
    let script = |name: &'static str| (name, "ok");
    for (command, present, changed) in [
        (
            "node hk",
            &[("project/hk/package.json", r#"{"main":"m.js"}"#), script("project/hk/m.js")][..],
            "project/hk/m.js",
        ),
        (
            "node hk",
            &[("project/hk/package.json", r#"{"main":"m.js"}"#), script("project/hk/m.js")],
            "project/hk/package.json",
        ),
        ("node hk", &[script("project/hk/index.js")], "project/hk/package.json"),
        (
            "cd hk && node .",
            &[("project/hk/package.json", r#"{"main":"m"}"#), script("project/hk/m.js")],
            "project/hk/m.js",
        ),
        (
            "node -r foo -e 1",
            &[script("project/node_modules/foo/index.js")],
            "project/node_modules/foo/index.js",
        ),
        (
            "node --import foo -e 1",
            &[script("project/node_modules/foo/index.js")],
            "project/node_modules/foo/package.json",
        ),
        ("node --require ./hk/x.js -e 1", &[script("project/hk/x.js")], "project/hk/x.js"),
        ("npx foo", &[script("project/node_modules/.bin/foo")], "project/node_modules/.bin/foo"),
        ("python3 -m hk.x", &[script("project/hk/x.py")], "project/hk/__init__.py"),
        (
            "python3 -m hk.x",
            &[script("project/hk/x.py"), script("project/hk/__init__.py")],
            "project/hk/__init__.py",
        ),
        ("python3 -m hk.x", &[script("project/hk/x.py")], "project/hk/x.abi3.so"),
        ("python3 -mhk.x", &[script("project/hk/x.py")], "project/hk/__init__.py"),
        ("python3 -c \"import hk.x\"", &[script("project/hk/x.py")], "project/hk/__init__.py"),
        ("python3 -c \"from hk import x\"", &[script("project/hk/x.py")], "project/hk/__init__.py"),
        ("python3 -m json.tool", &[], "project/json/__init__.py"),
        ("python3 -c \"import sys, json\"", &[], "project/json.py"),
        ("sh $'hk/x.sh'", &[script("project/hk/x.sh")], "project/hk/x.sh"),
        ("sh $'h\\x6b/x.sh'", &[script("project/hk/x.sh")], "project/hk/x.sh"),
        ("sh hk/{x,}.sh", &[script("project/hk/x.sh")], "project/hk/x.sh"),
        ("sh hk/x{1..2}.sh", &[script("project/hk/x1.sh")], "project/hk/x1.sh"),
        ("for f in *.sh; do sh $f; done", &[script("project/x.sh")], "project/a.sh"),
        (
            "node hk/x.js",
            &[script("project/hk/x.js"), ("project/package.json", "{}")],
            "project/hk/package.json",
        ),
    ] {
        let outcome = after(command, present, |place| {
            let text =
                if changed.ends_with("package.json") { r#"{"main":"n.js","type":"module"}"# } else { "evil" };
            place.write(changed, text);
        });
        assert_eq!(outcome, ("changed", true), "{command}: {changed}");
    }
}

#[test]
fn c11_2_the_interpreter_of_a_script_is_watched() {
    let files = [("project/s", "#!./interp\n"), ("project/interp", "ok")];
    let outcome = after("./s", &files, |place| place.write("project/interp", "evil"));
    assert_eq!(outcome, ("changed", true));
}

#[test]
fn a_directory_with_the_name_of_a_word_does_not_change_a_hook() {
    for command in ["make build", "npm run lint && cargo test", "eslint build"] {
        let outcome = after(command, &[], |place| {
            place.write("project/build/out.txt", "");
            place.write("project/lint/out.txt", "");
            place.write("project/test/out.txt", "");
        });
        assert_eq!(outcome, ("confirmed", false), "{command}");
    }
}
