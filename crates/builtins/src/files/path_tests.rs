//! Tests of paths as models write them.

use super::*;

fn workspace() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().join("work");
    fs::create_dir(&cwd).unwrap();
    let workspace = Workspace::new(cwd, Some(folder.path().to_path_buf()));
    (folder, workspace)
}

fn resolved(workspace: &Workspace, written: &str) -> String {
    workspace.show(&workspace.resolve(written).unwrap())
}

#[test]
fn what_surrounds_a_path_is_taken_off() {
    let (folder, workspace) = workspace();
    fs::write(workspace.cwd().join("a b.txt"), "").unwrap();
    for written in [
        "a b.txt",
        "\"a b.txt\"",
        "'a b.txt'",
        "`a b.txt`",
        "@a b.txt",
        " a b.txt\n",
        "a\\ b.txt",
        "./a b.txt",
    ] {
        assert!(workspace.resolve(written).unwrap().ends_with("a b.txt"), "{written}");
        assert!(workspace.resolve(written).unwrap().exists(), "{written}");
    }
    assert_eq!(workspace.resolve("~/x").unwrap(), folder.path().join("x"));
    assert_eq!(workspace.resolve("~").unwrap(), folder.path().join(""));
    assert_eq!(resolved(&workspace, "file:///etc/hosts"), "/etc/hosts");
    assert_eq!(resolved(&workspace, "."), ".");
}

#[test]
fn what_is_there_as_written_wins() {
    let (_folder, workspace) = workspace();
    for name in ["@a", "'b'", "~"] {
        fs::write(workspace.cwd().join(name), "").unwrap();
    }
    assert_eq!(resolved(&workspace, "@a"), "@a");
    assert_eq!(resolved(&workspace, "'b'"), "'b'");
}

#[test]
fn other_spellings_of_the_same_characters_are_found() {
    let (_folder, workspace) = workspace();
    let decomposed = "u\u{308}bung";
    fs::create_dir(workspace.cwd().join(decomposed)).unwrap();
    let name = "Screenshot 9.41\u{202f}AM it\u{2019}s.png";
    fs::write(workspace.cwd().join(decomposed).join(name), "").unwrap();
    let found = workspace.resolve("\u{fc}bung/Screenshot 9.41 AM it's.png").unwrap();
    assert!(found.is_file(), "{found:?}");
}

#[test]
fn a_missing_file_names_those_like_it() {
    let (_folder, workspace) = workspace();
    fs::write(workspace.cwd().join("main.rs"), "").unwrap();
    let path = workspace.resolve("mian.rs").unwrap();
    let error = workspace.missing(&path).to_string();
    assert_eq!(error, "No such file or folder: mian.rs. Did you mean main.rs?");
    let path = workspace.resolve("no/such/folder").unwrap();
    let error = workspace.missing(&path).to_string();
    assert_eq!(error, "No such file or folder: no/such/folder (the folder . exists)");
}

#[test]
fn unusable_paths_are_refused() {
    let (_folder, workspace) = workspace();
    assert!(workspace.resolve("a\0b").is_err());
    assert!(workspace.resolve("  ").is_err());
    assert!(workspace.resolve("\"\"").is_err());
}
