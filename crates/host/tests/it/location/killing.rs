//! A process that is killed while it writes a file leaves nothing behind.

use std::{
    fs,
    path::{Path, PathBuf},
};

use toolsmith_host::{
    changes::ChangeStore,
    exec::{Request, spawn},
    location::Location,
};

use crate::process_ids::kill;

const CHILD: &str = "TOOLSMITH_TEST_SAVE_ROOT";
const BYTES: usize = 1 << 20;
const ROUNDS: usize = 24;

fn store(root: &Path) -> ChangeStore {
    ChangeStore::open(root.join("state")).unwrap()
}

fn file(root: &Path) -> PathBuf {
    root.join("project/file")
}

/// Not a test of its own: what the other process runs.
#[test]
#[ignore = "run by the other tests as a process of its own"]
fn child() {
    let Some(root) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let store = store(&root);
    store.make_folders().unwrap();
    for round in 0.. {
        let content = vec![b'a' + (round % 26) as u8; BYTES];
        for name in ["file", &format!("new{}", round % 3)] {
            let _ = fs::remove_file(root.join("project").join(format!("new{}", round % 3)));
            let mut place = Location::resolve(&root.join("project").join(name)).unwrap();
            place.save(&content, None, Some(&store.temporaries())).unwrap();
        }
    }
}

/// Whether it is time for the kill: while a name is in use, or as soon as the file was replaced.
fn has_come(root: &Path, round: usize, before: Option<u8>) -> bool {
    let first = fs::read(file(root)).ok().and_then(|content| content.first().copied());
    match round % 2 {
        0 => {
            first.is_some()
                && fs::read_dir(root.join("state/temporaries")).is_ok_and(|mut all| all.next().is_some())
        }
        _ => first.is_some() && first != before,
    }
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_a_whole_file_and_no_temporary_one_after_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir(root.join("project")).unwrap();
    let this = std::env::current_exe().unwrap().display().to_string();
    let request = Request::new(this)
        .args(["--exact", "location::killing::child", "--ignored", "--nocapture"])
        .env(CHILD, root.display().to_string());
    let mut before = None;
    for round in 0..ROUNDS {
        let mut process = spawn(&request).unwrap();
        while !has_come(&root, round, before) {
            tokio::task::yield_now().await;
        }
        kill(process.id());
        process.wait().await;
        drop(store(&root));
        for entry in fs::read_dir(root.join("project")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.starts_with(".toolsmith-"), "{name} was left in round {round}");
        }
        assert_eq!(fs::read_dir(root.join("state/temporaries")).unwrap().count(), 0);
        let content = fs::read(file(&root)).unwrap();
        assert!(content.len() == BYTES && content.iter().all(|byte| *byte == content[0]), "half a file");
        before = content.first().copied();
    }
}
