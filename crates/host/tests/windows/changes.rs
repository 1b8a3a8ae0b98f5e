//! CONTRACT 8: changes that are applied and undone, with the line ends of Windows.

use std::fs;

use toolsmith_host::{
    changes::{ChangeNote, ChangeSet, ChangeStore, Wanted},
    trust::TrustStore,
};
use toolsmith_tool::CancelToken;

#[test]
fn c8_7_a_change_is_applied_to_all_files_and_undone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.txt"), "one\r\ntwo\r\n").unwrap();
    fs::write(root.join("gone.txt"), "gone\r\n").unwrap();
    let store = ChangeStore::open(folder.path().join("state")).unwrap();
    let wanted = vec![
        Wanted::write("a.txt", "one\r\nzwei\r\n"),
        Wanted::write(r"new\folder\b.txt", "new\n"),
        Wanted::delete("gone.txt"),
    ];
    let set = ChangeSet::bind(&root, wanted).unwrap();
    let note = ChangeNote::new("test", "A change", &root);
    store.apply(&set, &note, &CancelToken::new()).unwrap();
    assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"one\r\nzwei\r\n");
    assert_eq!(fs::read(root.join(r"new\folder\b.txt")).unwrap(), b"new\n");
    assert!(!root.join("gone.txt").exists());
    store.undo_last(&root, &CancelToken::new()).unwrap();
    assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"one\r\ntwo\r\n");
    assert_eq!(fs::read(root.join("gone.txt")).unwrap(), b"gone\r\n");
    assert!(!root.join("new").exists());
}

#[test]
fn c8_7_a_file_that_changed_since_the_preview_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "old\r\n").unwrap();
    let state = tempfile::tempdir().unwrap();
    let store = ChangeStore::open(state.path().join("state")).unwrap();
    let set = ChangeSet::bind(folder.path(), vec![Wanted::write("a.txt", "new\r\n")]).unwrap();
    fs::write(folder.path().join("a.txt"), "other\r\n").unwrap();
    let note = ChangeNote::new("test", "A change", folder.path());
    assert!(store.apply(&set, &note, &CancelToken::new()).is_err());
    assert_eq!(fs::read(folder.path().join("a.txt")).unwrap(), b"other\r\n");
}

#[test]
fn c2_8_trust_covers_a_folder_in_every_spelling() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("Project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("tool.ts"), "").unwrap();
    let store = TrustStore::at(folder.path().join("trust.json"));
    store.add(&project).unwrap();
    let trusted = store.load().unwrap();
    assert!(trusted.covers(&project.join("tool.ts")));
    assert!(trusted.covers(&folder.path().join("PROJECT").join("TOOL.TS")));
    assert!(!trusted.covers(&folder.path().join("Projects")));
}
