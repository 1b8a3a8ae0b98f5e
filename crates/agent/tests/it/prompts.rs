//! The system prompt and what goes into it.

use std::{fs, os::unix::fs::symlink, path::Path};

use toolsmith_agent::{SystemPrompt, find_context_files, git_branch};
use toolsmith_llm::ToolDefinition;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn tools(names: &[&str]) -> Vec<ToolDefinition> {
    names.iter().map(|name| ToolDefinition::new(*name, "", serde_json::json!({}))).collect()
}

#[test]
fn context_files_come_from_the_root_of_the_repository_down_one_at_each_depth() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("work/repo");
    write(&home.path().join("work/AGENTS.md"), "outside the repository");
    write(&home.path().join(".toolsmith/agent/AGENTS.md"), "the user's");
    write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
    write(&root.join("AGENTS.md"), "\u{feff}root");
    write(&root.join("CLAUDE.md"), "shadowed");
    write(&root.join("a/CLAUDE.md"), "middle");
    write(&root.join("a/b/AGENTS.md"), "near");
    let found = find_context_files(&root.join("a/b"), Some(home.path()));
    let texts: Vec<&str> = found.iter().map(|file| file.text.as_str()).collect();
    assert_eq!(texts, ["the user's", "root", "middle", "near"]);
}

#[test]
fn outside_a_repository_the_home_folder_is_the_end_and_elsewhere_only_the_folder_itself() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a/b");
    write(&home.path().join("AGENTS.md"), "home");
    write(&folder.join("AGENTS.md"), "near");
    assert_eq!(find_context_files(&folder, Some(home.path())).len(), 2);
    assert_eq!(find_context_files(&folder, None).len(), 1);
}

#[test]
fn context_files_that_are_no_files_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    symlink("AGENTS.md", folder.path().join("AGENTS.md")).unwrap();
    fs::create_dir(folder.path().join("CLAUDE.md")).unwrap();
    assert!(find_context_files(folder.path(), None).is_empty());
}

#[test]
fn a_huge_context_file_is_cut_and_one_that_is_no_text_is_read_as_far_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("AGENTS.md"), &"x".repeat(1 << 20));
    let found = find_context_files(folder.path(), None);
    assert!(found[0].text.len() < 50_000 && found[0].text.ends_with("read it for the rest]"));
    fs::write(folder.path().join("AGENTS.md"), b"abc\xff\xfe").unwrap();
    assert!(find_context_files(folder.path(), None)[0].text.starts_with("abc"));
}

#[test]
fn the_branch_is_read_also_in_worktrees_and_without_a_branch() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert_eq!(git_branch(&root.join("none")), None);
    write(&root.join("main/.git/HEAD"), "ref: refs/heads/feature/x\n");
    assert_eq!(git_branch(&root.join("main")).as_deref(), Some("feature/x"));
    write(&root.join("main/.git/worktrees/w/HEAD"), "0123456789abcdef0123\n");
    write(&root.join("tree/.git"), "gitdir: ../main/.git/worktrees/w\n");
    fs::create_dir_all(root.join("tree/deep")).unwrap();
    assert_eq!(git_branch(&root.join("tree/deep")).as_deref(), Some("detached at 0123456789ab"));
}

#[test]
fn the_prompt_is_made_of_its_parts_in_order() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("AGENTS.md"), "Use tabs.\n");
    let prompt = SystemPrompt::for_folder(folder.path(), None).append("Be kind.");
    let text = prompt.render(&tools(&["read", "grep", "edit"]));
    let places: Vec<usize> =
        ["You are Toolsmith", "Prefer read, grep", "Use tabs.", "Working directory: ", "Date: ", "Be kind."]
            .iter()
            .map(|part| text.find(part).unwrap_or_else(|| panic!("{part} is not in {text}")))
            .collect();
    assert!(places.is_sorted(), "{text}");
    assert!(!prompt.render(&tools(&["read"])).contains("Use read, grep"));
    let replaced = prompt.replace("You are a pirate.").render(&tools(&["read", "grep", "edit"]));
    assert!(replaced.starts_with("You are a pirate.") && replaced.contains("Use tabs."));
    assert!(!replaced.contains("Toolsmith"));
}

#[test]
fn the_prompt_is_the_same_for_every_request_of_a_session() {
    let prompt = SystemPrompt::for_folder(Path::new("/"), None);
    assert_eq!(prompt.render(&[]), prompt.render(&[]));
}

#[test]
fn a_context_file_brings_along_what_it_imports_from_the_project_only() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
    write(&folder.path().join("secret.md"), "a key");
    write(
        &root.join("AGENTS.md"),
        "See @docs/style.md, and ask @alice.\nNot `@docs/code.md`\n```\n@docs/code.md\n```\n@../secret.md @link.md",
    );
    symlink("../secret.md", root.join("link.md")).unwrap();
    write(&root.join("docs/code.md"), "never");
    write(&root.join("docs/style.md"), "tabs @../AGENTS.md @more.md");
    write(&root.join("docs/more.md"), "more");
    let found = find_context_files(&root, None);
    let texts: Vec<&str> = found.iter().skip(1).map(|file| file.text.as_str()).collect();
    assert_eq!(texts, ["tabs @../AGENTS.md @more.md", "more"]);
}

#[test]
fn c2_8_context_files_that_lead_out_of_the_project_are_skipped_with_a_notice() {
    let home = tempfile::tempdir().unwrap();
    write(&home.path().join(".ssh/id_rsa"), "a key");
    let repository = home.path().join("work/repo");
    write(&repository.join(".git/HEAD"), "ref: refs/heads/main\n");
    let plain = home.path().join("Downloads/archive");
    fs::create_dir_all(&plain).unwrap();
    let deep = plain.join("deep/er");
    fs::create_dir_all(&deep).unwrap();
    symlink(home.path().join(".ssh"), plain.join("deep/folder")).unwrap();
    let key = home.path().join(".ssh/id_rsa");
    for home_is_repository in [false, true] {
        if home_is_repository {
            write(&home.path().join(".git/HEAD"), "ref: refs/heads/main\n");
        }
        for folder in [&repository, &plain, &deep] {
            for (name, target) in [
                ("AGENTS.md", key.clone()),
                ("CLAUDE.md", key.clone()),
                ("AGENTS.md", "../folder/id_rsa".into()),
            ] {
                let link = folder.join(name);
                symlink(&target, &link).unwrap();
                let prompt = SystemPrompt::for_folder(folder, Some(home.path()));
                assert!(!prompt.render(&[]).contains("a key"), "{} -> {}", link.display(), target.display());
                if target == key {
                    assert_eq!(prompt.skipped_files.len(), 1, "{}", link.display());
                    assert_eq!(prompt.skipped_files[0].path, link);
                }
                fs::remove_file(&link).unwrap();
            }
            for import in ["@../../.ssh/id_rsa", "@../../../../.ssh/id_rsa", "@../folder/id_rsa"] {
                write(&folder.join("AGENTS.md"), import);
                let prompt = SystemPrompt::for_folder(folder, Some(home.path()));
                assert!(!prompt.render(&[]).contains("a key"), "{} {import}", folder.display());
            }
            write(&folder.join("AGENTS.md"), &format!("@{}", key.display()));
            let prompt = SystemPrompt::for_folder(folder, Some(home.path()));
            assert!(!prompt.render(&[]).contains("a key"), "{}", folder.display());
            fs::remove_file(folder.join("AGENTS.md")).unwrap();
        }
    }
}

#[test]
fn the_users_own_context_file_may_be_a_link() {
    let home = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    write(&elsewhere.path().join("AGENTS.md"), "mine");
    fs::create_dir_all(home.path().join(".toolsmith/agent")).unwrap();
    symlink(elsewhere.path().join("AGENTS.md"), home.path().join(".toolsmith/agent/AGENTS.md")).unwrap();
    assert_eq!(find_context_files(elsewhere.path(), Some(home.path()))[0].text, "mine");
}

#[test]
fn c2_8_a_pipe_in_place_of_a_context_file_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = std::ffi::CString::new(folder.path().join("AGENTS.md").to_str().unwrap()).unwrap();
    // SAFETY: the path is a string that ends with a zero.
    #[allow(unsafe_code, reason = "there is no other way to make a pipe with a name")]
    let made = unsafe { libc::mkfifo(path.as_ptr(), 0o600) };
    assert_eq!(made, 0);
    let prompt = SystemPrompt::for_folder(folder.path(), None);
    assert!(prompt.context_files.is_empty());
    assert_eq!(prompt.skipped_files.len(), 1);
}

#[test]
fn c2_8_what_is_no_branch_is_not_told_to_the_model() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("key"), "-----BEGIN PRIVATE KEY-----\n");
    for (head, expected) in [
        ("ref: refs/heads/a\u{1b}]0;x\n", None),
        ("ref: /etc/passwd\n", None),
        ("machine example login me password secret\n", None),
        ("ref: refs/tags/v1\n", Some("tags/v1")),
    ] {
        write(&folder.path().join(".git/HEAD"), head);
        assert_eq!(git_branch(folder.path()).as_deref(), expected, "{head:?}");
    }
    fs::remove_file(folder.path().join(".git/HEAD")).unwrap();
    symlink("../key", folder.path().join(".git/HEAD")).unwrap();
    assert_eq!(git_branch(folder.path()), None);
}

#[test]
fn an_override_takes_the_place_of_a_context_file_and_rules_come_last() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("repo");
    write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
    write(&root.join("AGENTS.override.md"), "override");
    write(&root.join("AGENTS.md"), "shadowed");
    write(&root.join("a/AGENTS.md"), "near");
    write(&root.join(".toolsmith/RULES.md"), "project rules");
    write(&home.path().join(".toolsmith/agent/RULES.md"), "user rules");
    write(&home.path().join(".claude/CLAUDE.md"), "for claude");
    let texts = || -> Vec<String> {
        find_context_files(&root.join("a"), Some(home.path())).into_iter().map(|file| file.text).collect()
    };
    assert_eq!(texts(), ["for claude", "override", "near", "user rules", "project rules"]);
    // A file for Toolsmith takes precedence over those for other agents.
    write(&home.path().join(".toolsmith/agent/AGENTS.md"), "mine");
    assert_eq!(texts()[0], "mine");
    assert_eq!(texts().len(), 5);
}

#[test]
fn imports_of_imports_end_and_a_rules_file_cannot_lead_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
    write(&root.join("AGENTS.md"), "0 @f1.md");
    for at in 1..10 {
        write(&root.join(format!("f{at}.md")), &format!("{at} @f{}.md @AGENTS.md", at + 1));
    }
    write(&folder.path().join("secret.md"), "a key");
    fs::create_dir_all(root.join(".toolsmith")).unwrap();
    symlink("../../secret.md", root.join(".toolsmith/RULES.md")).unwrap();
    let found = find_context_files(&root, None);
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|file| !file.text.contains("a key")));
}
