//! The system prompt and what goes into it.

use std::{fs, os::unix::fs::symlink, path::Path};

use toolsmith_agent::{SystemPrompt, find_context_files, git_branch};
use toolsmith_llm::ToolDefinition;
use toolsmith_testkit::Project;

fn tools(names: &[&str]) -> Vec<ToolDefinition> {
    names.iter().map(|name| ToolDefinition::new(*name, "", serde_json::json!({}))).collect()
}

#[test]
fn context_files_come_from_the_root_of_the_repository_down_one_at_each_depth() {
    let home = Project::new(&[]);
    let root = home.path("work/repo");
    home.write("work/AGENTS.md", "outside the repository");
    home.write(".toolsmith/agent/AGENTS.md", "the user's");
    home.write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
    home.write(&root.join("AGENTS.md"), "\u{feff}root");
    home.write(&root.join("CLAUDE.md"), "shadowed");
    home.write(&root.join("a/CLAUDE.md"), "middle");
    home.write(&root.join("a/b/AGENTS.md"), "near");
    let found = find_context_files(&root.join("a/b"), Some(&home.root));
    let texts: Vec<&str> = found.iter().map(|file| file.text.as_str()).collect();
    assert_eq!(texts, ["the user's", "root", "middle", "near"]);
}

#[test]
fn outside_a_repository_the_home_folder_is_the_end_and_elsewhere_only_the_folder_itself() {
    let home = Project::new(&[]);
    let folder = home.path("a/b");
    home.write("AGENTS.md", "home");
    home.write(&folder.join("AGENTS.md"), "near");
    assert_eq!(find_context_files(&folder, Some(&home.root)).len(), 2);
    assert_eq!(find_context_files(&folder, None).len(), 1);
}

#[test]
fn context_files_that_are_no_files_are_passed_over() {
    let folder = Project::new(&[]);
    symlink("AGENTS.md", folder.path("AGENTS.md")).unwrap();
    folder.create_folder("CLAUDE.md");
    assert!(find_context_files(&folder.root, None).is_empty());
}

#[test]
fn a_huge_context_file_is_cut_and_one_that_is_no_text_is_read_as_far_as_it_is() {
    let folder = Project::new(&[]);
    folder.write("AGENTS.md", &"x".repeat(1 << 20));
    let found = find_context_files(&folder.root, None);
    assert!(found[0].text.len() < 50_000 && found[0].text.ends_with("read it for the rest]"));
    folder.write("AGENTS.md", b"abc\xff\xfe");
    assert!(find_context_files(&folder.root, None)[0].text.starts_with("abc"));
}

#[test]
fn the_branch_is_read_also_in_worktrees_and_without_a_branch() {
    let folder = Project::new(&[]);
    let root = &folder.root;
    assert_eq!(git_branch(&root.join("none")), None);
    folder.write(&root.join("main/.git/HEAD"), "ref: refs/heads/feature/x\n");
    assert_eq!(git_branch(&root.join("main")).as_deref(), Some("feature/x"));
    folder.write(&root.join("main/.git/worktrees/w/HEAD"), "0123456789abcdef0123\n");
    folder.write(&root.join("tree/.git"), "gitdir: ../main/.git/worktrees/w\n");
    fs::create_dir_all(root.join("tree/deep")).unwrap();
    assert_eq!(git_branch(&root.join("tree/deep")).as_deref(), Some("detached at 0123456789ab"));
}

#[test]
fn the_prompt_is_made_of_its_parts_in_order() {
    let folder = Project::new(&[]);
    folder.write("AGENTS.md", "Use tabs.\n");
    let prompt = SystemPrompt::for_folder(&folder.root, None).append("Be kind.");
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
    let folder = Project::new(&[]);
    let root = folder.path("repo");
    folder.write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
    folder.write("secret.md", "a key");
    folder.write(&root.join("AGENTS.md"),
        "See @docs/style.md, and ask @alice.\nNot `@docs/code.md`\n```\n@docs/code.md\n```\n@../secret.md @link.md",
    );
    symlink("../secret.md", root.join("link.md")).unwrap();
    folder.write(&root.join("docs/code.md"), "never");
    folder.write(&root.join("docs/style.md"), "tabs @../AGENTS.md @more.md");
    folder.write(&root.join("docs/more.md"), "more");
    let found = find_context_files(&root, None);
    let texts: Vec<&str> = found.iter().skip(1).map(|file| file.text.as_str()).collect();
    assert_eq!(texts, ["tabs @../AGENTS.md @more.md", "more"]);
}

#[test]
fn c2_8_context_files_that_lead_out_of_the_project_are_skipped_with_a_notice() {
    let home = Project::new(&[]);
    home.write(".ssh/id_rsa", "a key");
    let repository = home.path("work/repo");
    home.write(&repository.join(".git/HEAD"), "ref: refs/heads/main\n");
    let plain = home.path("Downloads/archive");
    fs::create_dir_all(&plain).unwrap();
    let deep = plain.join("deep/er");
    fs::create_dir_all(&deep).unwrap();
    symlink(home.path(".ssh"), plain.join("deep/folder")).unwrap();
    let key = home.path(".ssh/id_rsa");
    for home_is_repository in [false, true] {
        if home_is_repository {
            home.write(".git/HEAD", "ref: refs/heads/main\n");
        }
        for folder in [&repository, &plain, &deep] {
            for (name, target) in [
                ("AGENTS.md", key.clone()),
                ("CLAUDE.md", key.clone()),
                ("AGENTS.md", "../folder/id_rsa".into()),
            ] {
                let link = folder.join(name);
                symlink(&target, &link).unwrap();
                let prompt = SystemPrompt::for_folder(folder, Some(&home.root));
                assert!(!prompt.render(&[]).contains("a key"), "{} -> {}", link.display(), target.display());
                if target == key {
                    assert_eq!(prompt.skipped_files.len(), 1, "{}", link.display());
                    assert_eq!(prompt.skipped_files[0].path, link);
                }
                fs::remove_file(&link).unwrap();
            }
            for import in ["@../../.ssh/id_rsa", "@../../../../.ssh/id_rsa", "@../folder/id_rsa"] {
                home.write(&folder.join("AGENTS.md"), import);
                let prompt = SystemPrompt::for_folder(folder, Some(&home.root));
                assert!(!prompt.render(&[]).contains("a key"), "{} {import}", folder.display());
            }
            home.write(&folder.join("AGENTS.md"), &format!("@{}", key.display()));
            let prompt = SystemPrompt::for_folder(folder, Some(&home.root));
            assert!(!prompt.render(&[]).contains("a key"), "{}", folder.display());
            fs::remove_file(folder.join("AGENTS.md")).unwrap();
        }
    }
}

#[test]
fn the_users_own_context_file_may_be_a_link() {
    let home = Project::new(&[]);
    let elsewhere = Project::new(&[]);
    elsewhere.write("AGENTS.md", "mine");
    home.create_folder(".toolsmith/agent");
    symlink(elsewhere.path("AGENTS.md"), home.path(".toolsmith/agent/AGENTS.md")).unwrap();
    assert_eq!(find_context_files(&elsewhere.root, Some(&home.root))[0].text, "mine");
}

#[test]
fn c2_8_a_pipe_in_place_of_a_context_file_is_not_waited_for() {
    let folder = Project::new(&[]);
    let path = std::ffi::CString::new(folder.path("AGENTS.md").to_str().unwrap()).unwrap();
    // SAFETY: the path is a string that ends with a zero.
    #[allow(unsafe_code, reason = "there is no other way to make a pipe with a name")]
    let made = unsafe { libc::mkfifo(path.as_ptr(), 0o600) };
    assert_eq!(made, 0);
    let prompt = SystemPrompt::for_folder(&folder.root, None);
    assert!(prompt.context_files.is_empty());
    assert_eq!(prompt.skipped_files.len(), 1);
}

#[test]
fn c2_8_what_is_no_branch_is_not_told_to_the_model() {
    let folder = Project::new(&[]);
    folder.write("key", "-----BEGIN PRIVATE KEY-----\n");
    for (head, expected) in [
        ("ref: refs/heads/a\u{1b}]0;x\n", None),
        ("ref: /etc/passwd\n", None),
        ("machine example login me password secret\n", None),
        ("ref: refs/tags/v1\n", Some("tags/v1")),
    ] {
        folder.write(".git/HEAD", head);
        assert_eq!(git_branch(&folder.root).as_deref(), expected, "{head:?}");
    }
    fs::remove_file(folder.path(".git/HEAD")).unwrap();
    symlink("../key", folder.path(".git/HEAD")).unwrap();
    assert_eq!(git_branch(&folder.root), None);
}

#[test]
fn an_override_takes_the_place_of_a_context_file_and_rules_come_last() {
    let home = Project::new(&[]);
    let root = home.path("repo");
    home.write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
    home.write(&root.join("AGENTS.override.md"), "override");
    home.write(&root.join("AGENTS.md"), "shadowed");
    home.write(&root.join("a/AGENTS.md"), "near");
    home.write(&root.join(".toolsmith/RULES.md"), "project rules");
    home.write(".toolsmith/agent/RULES.md", "user rules");
    home.write(".claude/CLAUDE.md", "for claude");
    let texts = || -> Vec<String> {
        find_context_files(&root.join("a"), Some(&home.root)).into_iter().map(|file| file.text).collect()
    };
    assert_eq!(texts(), ["for claude", "override", "near", "user rules", "project rules"]);
    // A file for Toolsmith takes precedence over those for other agents.
    home.write(".toolsmith/agent/AGENTS.md", "mine");
    assert_eq!(texts()[0], "mine");
    assert_eq!(texts().len(), 5);
}

#[test]
fn imports_of_imports_end_and_a_rules_file_cannot_lead_out() {
    let folder = Project::new(&[]);
    let root = folder.path("repo");
    folder.write(&root.join(".git/HEAD"), "ref: refs/heads/main\n");
    folder.write(&root.join("AGENTS.md"), "0 @f1.md");
    for at in 1..10 {
        folder.write(&root.join(format!("f{at}.md")), &format!("{at} @f{}.md @AGENTS.md", at + 1));
    }
    folder.write("secret.md", "a key");
    fs::create_dir_all(root.join(".toolsmith")).unwrap();
    symlink("../../secret.md", root.join(".toolsmith/RULES.md")).unwrap();
    let found = find_context_files(&root, None);
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|file| !file.text.contains("a key")));
}
