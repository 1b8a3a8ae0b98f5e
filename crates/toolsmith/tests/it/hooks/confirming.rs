//! Confirmation by hash: what was confirmed is what runs.

use std::{
    fs,
    os::unix::fs::symlink,
    sync::{Arc, Barrier},
    thread,
};

use toolsmith::{FoundHook, hook_confirmations};

use super::place::settings;
use crate::place::Place;

fn guarded() -> Place {
    let place = Place::new(&[("project/.claude/hooks/guard.sh", "exit 0\n")]);
    let command = "bash \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh";
    place.write("project/.claude/settings.json", &settings("PreToolUse", "Bash", command));
    place.confirm();
    assert_eq!(place.statuses(), ["confirmed"]);
    place
}

#[test]
fn c11_2_a_confirmed_hook_runs_until_anything_of_it_changes() {
    type Change = fn(&Place);
    let changes: [(&str, Change); 7] = [
        ("the script", |place| place.write("project/.claude/hooks/guard.sh", "exit 0 # changed\n")),
        ("code beside it", |place| place.write("project/.claude/hooks/lib/helper.sh", "")),
        ("the command", |place| {
            place.write("project/.claude/settings.json", &settings("PreToolUse", "Bash", "true"));
        }),
        ("the matcher", |place| {
            let text = fs::read_to_string(place.path("project/.claude/settings.json")).unwrap();
            place.write("project/.claude/settings.json", &text.replace("\"Bash\"", "\"Nothing\""));
        }),
        ("the timeout", |place| {
            let text = fs::read_to_string(place.path("project/.claude/settings.json")).unwrap();
            place.write("project/.claude/settings.json", &text.replace("\"type\"", "\"timeout\":1,\"type\""));
        }),
        ("a link in place of the script", |place| {
            let script = place.path("project/.claude/hooks/guard.sh");
            fs::rename(&script, place.path("project/other.sh")).unwrap();
            std::os::unix::fs::symlink(place.path("project/other.sh"), script).unwrap();
        }),
        ("the script is gone", |place| {
            fs::remove_file(place.path("project/.claude/hooks/guard.sh")).unwrap()
        }),
    ];
    for (what, change) in changes {
        let place = guarded();
        let hook = Arc::clone(&place.hooks().hooks[0].hook);
        let check = hook.check.clone().unwrap();
        assert!(check().is_ok(), "{what}");
        change(&place);
        // In a session that runs, and in the next one.
        if what != "the command" && what != "the matcher" && what != "the timeout" {
            assert!(check().unwrap_err().contains("changed since you confirmed it"), "{what}");
        }
        assert_eq!(place.statuses(), ["changed"], "{what}");
        let active = place.hooks().active();
        assert!(!active.is_empty(), "{what}: the guard does not vanish");
        assert!(
            active.iter().all(|hook| hook.fails_closed && hook.check.as_ref().unwrap()().is_err()),
            "{what}"
        );
        assert!(place.warnings().contains("changed since you confirmed it"), "{}", place.warnings());
        place.confirm();
        assert_eq!(place.statuses(), ["confirmed"], "{what}");
    }
}

#[test]
fn what_a_script_writes_beside_itself_does_not_change_it() {
    let place = guarded();
    for file in ["log.jsonl", "state.json", "hook.log", "__pycache__/guard.cpython-312.pyc"] {
        place.write(&format!("project/.claude/hooks/{file}"), "data");
    }
    assert_eq!(place.statuses(), ["confirmed"]);
}

#[test]
fn file_hooks_are_confirmed_one_by_one_and_with_the_code_they_share() {
    let place = Place::new(&[("project/.toolsmith/hooks/lib/common.sh", "")]);
    for tool in ["bash", "write"] {
        place.executable(&format!("project/.toolsmith/hooks/pre/{tool}"), "#!/bin/sh\n. ../lib/common.sh\n");
    }
    place.confirm();
    place.write("project/.toolsmith/hooks/pre/write", "#!/bin/sh\nexit 0\n");
    assert_eq!(place.statuses(), ["confirmed", "changed"]);
    place.confirm();
    place.write("project/.toolsmith/hooks/lib/common.sh", "exit 0\n");
    assert_eq!(place.statuses(), ["changed", "changed"]);
}

#[test]
fn a_hook_that_does_not_guard_is_skipped_when_it_changed() {
    let place = Place::new(&[("project/.claude/settings.json", &settings("Stop", "", "a"))]);
    place.confirm();
    place.write("project/.claude/settings.json", &settings("Stop", "", "b"));
    assert_eq!(place.statuses(), ["changed"]);
    assert!(place.hooks().active().is_empty());
}

#[test]
fn a_confirmed_guard_whose_file_breaks_blocks_and_one_that_is_gone_is_reported() {
    let place = guarded();
    place.write("project/.claude/settings.json", "{ broken");
    let active = place.hooks().active();
    assert!(active.len() == 1 && active[0].fails_closed && active[0].check.as_ref().unwrap()().is_err());
    let place = guarded();
    fs::remove_file(place.path("project/.claude/settings.json")).unwrap();
    assert!(place.hooks().active().is_empty());
    assert!(place.warnings().contains("a hook that you confirmed is gone"), "{}", place.warnings());
    place.confirm();
    assert!(place.warnings().is_empty(), "{}", place.warnings());
}

#[test]
fn c11_2_a_link_or_a_file_in_place_of_a_confirmed_guard_blocks() {
    type Change = fn(&Place);
    let changes: [(&str, Change); 6] = [
        ("the file leads nowhere", |place| replace(place, "project/.claude/settings.json", "/nonexistent")),
        ("the file leads out", |place| {
            place.write("elsewhere.json", "{}");
            replace(place, "project/.claude/settings.json", "../../elsewhere.json");
        }),
        ("the directory leads nowhere", |place| replace(place, "project/.claude", "/nonexistent")),
        ("the directory leads to an empty one", |place| replace(place, "project/.claude", "/proc/self/task")),
        ("a file is in place of the directory", |place| {
            fs::rename(place.path("project/.claude"), place.path("moved")).unwrap();
            place.write("project/.claude", "");
        }),
        ("the file leads to itself", |place| {
            replace(place, "project/.claude/settings.json", "settings.json")
        }),
    ];
    for (what, change) in changes {
        let place = guarded();
        change(&place);
        let active = place.hooks().active();
        assert!(!active.is_empty(), "{what}: the guard does not vanish");
        assert!(
            active.iter().all(|hook| hook.fails_closed && hook.check.as_ref().unwrap()().is_err()),
            "{what}"
        );
        assert!(!place.warnings().is_empty(), "{what}");
        // Confirming what is there now accepts it.
        place.confirm();
        assert!(place.hooks().active().is_empty(), "{what}");
    }
}

#[test]
fn c11_2_a_link_in_place_of_a_confirmed_file_hook_blocks() {
    for path in [
        "project/.toolsmith/hooks/pre/bash.sh",
        "project/.toolsmith/hooks/pre",
        "project/.toolsmith/hooks",
        "project/.toolsmith",
    ] {
        let place = Place::new(&[]);
        place.executable("project/.toolsmith/hooks/pre/bash.sh", "#!/bin/sh\nexit 2\n");
        place.confirm();
        assert_eq!(place.statuses(), ["confirmed"]);
        replace(&place, path, "/nonexistent");
        let active = place.hooks().active();
        assert_eq!(active.len(), 1, "{path}: the guard does not vanish");
        assert!(active[0].fails_closed && active[0].check.as_ref().unwrap()().is_err(), "{path}");
        assert!(active[0].matcher.matches(&["bash"]) && !active[0].matcher.matches(&["read"]), "{path}");
    }
}

/// Puts a link in place of a file or directory.
fn replace(place: &Place, path: &str, target: &str) {
    fs::rename(place.path(path), place.path("moved")).unwrap();
    symlink(target, place.path(path)).unwrap();
}

#[test]
fn a_new_matcher_or_a_mistake_does_not_narrow_what_a_confirmed_guard_covers() {
    let changes = [
        ("\"Bash\"", "\"Nothing\""),
        ("\"Bash\"", "7"),
        ("\"command\":", "\"comand\":"),
        ("PreToolUse", "PreTolUse"),
    ];
    for (from, to) in changes {
        let place = guarded();
        let text = fs::read_to_string(place.path("project/.claude/settings.json")).unwrap();
        assert!(text.contains(from), "{text}");
        place.write("project/.claude/settings.json", &text.replace(from, to));
        let blocks = |tool: &str| {
            let active = place.hooks().active();
            active.iter().any(|hook| {
                let fails = hook.check.as_ref().is_some_and(|check| check().is_err());
                fails && hook.fails_closed && hook.matcher.matches(&[tool])
            })
        };
        assert!(blocks("Bash"), "{to}");
        assert!(!blocks("Read"), "{to}");
        place.confirm();
        assert!(!blocks("Bash"), "{to}");
    }
}

#[test]
fn c11_2_a_new_hook_beside_a_confirmed_one_waits_alone() {
    let place = guarded();
    let text = fs::read_to_string(place.path("project/.claude/settings.json")).unwrap();
    let more = text.replace("\"hooks\":[{", "\"hooks\":[{\"type\":\"command\",\"command\":\"new\"},{");
    place.write("project/.claude/settings.json", &more);
    let statuses = place.statuses();
    assert_eq!(statuses, ["new", "confirmed"]);
}

#[test]
fn a_declined_hook_does_not_run_is_not_asked_about_and_blocks_nothing() {
    let place = Place::new(&[("project/.claude/settings.json", &settings("PreToolUse", "", "a"))]);
    let found = place.hooks();
    let all: Vec<&FoundHook> = found.hooks.iter().collect();
    found.decide(&place.home(), &all, false).unwrap();
    assert_eq!(place.statuses(), ["declined"]);
    assert!(place.hooks().active().is_empty() && place.hooks().waiting().next().is_none());
    found.forget(&place.home()).unwrap();
    assert_eq!(place.statuses(), ["new"]);
}

#[test]
fn only_what_was_shown_is_confirmed() {
    let place = Place::new(&[("project/.claude/settings.json", &settings("PreToolUse", "", "shown"))]);
    let shown = place.hooks();
    place.write("project/.claude/settings.json", &settings("PreToolUse", "", "swapped"));
    let all: Vec<&FoundHook> = shown.hooks.iter().collect();
    shown.decide(&place.home(), &all, true).unwrap();
    assert_ne!(place.statuses(), ["confirmed"]);
    assert!(
        place.hooks().active().iter().all(|hook| hook.check.as_ref().is_some_and(|check| check().is_err()))
    );
}

#[test]
fn confirmations_belong_to_one_project() {
    let place = guarded();
    let other = toolsmith::HookOptions::new(place.path("copy"), place.home()).trust(place.trust.clone());
    fs::create_dir_all(place.path("copy/.claude/hooks")).unwrap();
    for file in [".claude/settings.json", ".claude/hooks/guard.sh"] {
        fs::copy(place.path("project").join(file), place.path("copy").join(file)).unwrap();
    }
    let statuses: Vec<&str> =
        toolsmith::discover_hooks(&other).hooks.iter().map(|found| found.status.as_str()).collect();
    assert_eq!(statuses, ["new"]);
}

#[test]
fn a_damaged_list_confirms_nothing() {
    let place = guarded();
    place.write("home/.toolsmith/confirmed-hooks.json", "{ broken");
    assert_eq!(place.statuses(), ["new"]);
    assert!(place.warnings().contains("is damaged"), "{}", place.warnings());
    assert!(hook_confirmations(&place.home()).load().is_err());
}

#[test]
fn two_decisions_at_once_are_both_kept() {
    let place = Arc::new(Place::new(&[
        ("project/.claude/settings.json", &settings("Stop", "", "one")),
        ("project/.claude/settings.local.json", &settings("Stop", "", "two")),
    ]));
    let together = Arc::new(Barrier::new(2));
    let deciding = (0..2).map(|at| {
        let (place, together) = (Arc::clone(&place), Arc::clone(&together));
        thread::spawn(move || {
            let found = place.hooks();
            together.wait();
            found.decide(&place.home(), &[&found.hooks[at]], true).unwrap();
        })
    });
    deciding.collect::<Vec<_>>().into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(place.statuses(), ["confirmed", "confirmed"]);
}
