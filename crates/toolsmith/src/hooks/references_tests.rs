//! Files that commands name.

use std::fs;

use tempfile::TempDir;

use super::*;

struct Place {
    _folder: TempDir,
    around: Surroundings,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().canonicalize().unwrap().join("project");
    fs::create_dir_all(project.join(".claude/hooks")).unwrap();
    fs::write(project.join(".claude/hooks/guard.py"), "").unwrap();
    fs::write(project.join("check.sh"), "").unwrap();
    let around = Surroundings { cwd: project.clone(), project, home: folder.path().join("home") };
    Place { _folder: folder, around }
}

fn names(command: &str, place: &Place) -> (Vec<String>, Vec<String>, Vec<String>) {
    let found = find(&words(&Handler::Shell { command: command.to_owned() }), &place.around);
    let relative = |paths: &BTreeSet<PathBuf>| {
        let inside =
            |path: &PathBuf| path.strip_prefix(&place.around.cwd).unwrap_or(path).display().to_string();
        paths.iter().map(inside).collect()
    };
    (relative(&found.files), relative(&found.missing), relative(&found.missing_files))
}

#[test]
fn c11_2_scripts_are_found_however_the_command_spells_them() {
    let place = place();
    for command in [
        "python3 .claude/hooks/guard.py",
        "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py --strict",
        "'${CLAUDE_PROJECT_DIR}/.claude/hooks/guard.py'",
        "${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/guard.py",
        "cd /tmp && uv run $CLAUDE_PROJECT_DIR/.claude/hooks/guard.py;true",
        "bash -c \"cat | python3 .claude/hooks/guard.py\"",
        "PYTHONPATH=. python3 <.claude/hooks/guard.py",
        "./.claude/hooks/gu\\ard.py",
    ] {
        let (files, ..) = names(command, &place);
        assert!(files.iter().any(|file| file.ends_with("guard.py")), "{command}: {files:?}");
    }
    assert_eq!(names("sh check.sh", &place).0, ["check.sh"]);
    // What is not there yet may be put there later.
    assert_eq!(names("test -x ./extra.sh && ./extra.sh", &place).1, ["extra.sh"]);
    let (files, missing, words) = names("jq -r .tool_input", &place);
    assert_eq!((files, missing), (Vec::new(), Vec::new()));
    assert_eq!(words, [".tool_input", "jq"]);
}

#[test]
fn c11_2_a_file_that_a_package_names_is_covered_before_it_is_built() {
    let place = place();
    fs::create_dir_all(place.around.cwd.join("srv/dist")).unwrap();
    fs::write(place.around.cwd.join("srv/package.json"), r#"{"main":"dist/i"}"#).unwrap();
    let (_, _, missing) = names("node srv", &place);
    assert!(missing.contains(&"srv/dist/i.js".to_owned()), "{missing:?}");
    let hash = || {
        let words = words(&Handler::Shell { command: "node srv".to_owned() });
        super::super::fingerprint::Fingerprint::take(&Value::Null, &words, &place.around).unwrap().hash
    };
    let before = hash();
    fs::write(place.around.cwd.join("srv/dist/other.js"), "").unwrap();
    assert_eq!(hash(), before);
    fs::write(place.around.cwd.join("srv/dist/i.js"), "").unwrap();
    assert_ne!(hash(), before);
}

#[test]
fn c11_2_programs_that_run_code_of_the_project_are_named() {
    let place = place();
    let uncovered = |command: &str| {
        let found = find(&words(&Handler::Shell { command: command.to_owned() }), &place.around);
        found.uncovered.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(uncovered("npm run lint"), ["npm"]);
    assert_eq!(uncovered("cd a && /usr/bin/make check"), ["/usr/bin/make"]);
    assert_eq!(uncovered("python3 -m hooks.guard"), ["python3"]);
    assert_eq!(uncovered("python3 -um hooks.guard"), ["python3"]);
    assert!(uncovered("jq .").is_empty());
}

#[test]
fn words_of_any_text_are_found_without_a_panic() {
    let place = place();
    for command in ["", "'", "\"\\", "a\\", "$(`", "\u{0}", "💥 'ä", "${CLAUDE_PROJECT_DIR:-"] {
        find(&words(&Handler::Shell { command: command.to_owned() }), &place.around);
    }
}
