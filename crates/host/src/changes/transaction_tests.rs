//! File systems that cannot exchange two files, and plans found in any state.

use std::{fs, path::PathBuf};

use toolsmith_tool::CancelToken;

use super::*;
use crate::changes::{ChangeNote, ChangeSet, ChangeStore, Entry, Wanted, content_hash};

fn place() -> (tempfile::TempDir, PathBuf, ChangeStore) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("project");
    fs::create_dir(&root).unwrap();
    let store = ChangeStore::open(folder.path().join("state")).unwrap().without_exchange();
    (folder, root, store)
}

fn names(root: &PathBuf) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn without_an_exchange_the_old_file_is_moved_away_first() {
    let (_folder, root, store) = place();
    fs::write(root.join("a"), "1").unwrap();
    fs::write(root.join("b"), "1").unwrap();
    let wanted = vec![Wanted::write("a", "2"), Wanted::delete("b"), Wanted::write("c", "2")];
    let set = ChangeSet::bind(&root, wanted).unwrap();
    let note = ChangeNote::new("test", "label", &root);
    store.apply(&set, &note, &CancelToken::new()).unwrap();
    assert_eq!(names(&root), ["a", "c"]);
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "2");
    store.undo_last(&root, &CancelToken::new()).unwrap();
    assert_eq!(names(&root), ["a", "b"]);
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "1");
}

/// A plan over three kinds of change, twice each, whose new contents are written.
fn staged(root: &Path) -> (ChangeSet, Plan) {
    let mut wanted = Vec::new();
    for n in 0..2 {
        fs::write(root.join(format!("change{n}")), "old").unwrap();
        fs::write(root.join(format!("delete{n}")), "old").unwrap();
        wanted.push(Wanted::write(format!("change{n}"), "new"));
        wanted.push(Wanted::delete(format!("delete{n}")));
        wanted.push(Wanted::write(format!("create{n}"), "new"));
    }
    let set = ChangeSet::bind(root, wanted).unwrap();
    let files = set.files().iter().map(|change| ChangedFile {
        path: change.path.clone(),
        target: change.target.clone(),
        before: change.base,
        after: change.content.as_deref().map(content_hash),
        mode: None,
    });
    let entry = Entry {
        id: "1".to_owned(),
        time: String::new(),
        tool: String::new(),
        label: String::new(),
        root: root.to_path_buf(),
        undoes: None,
        files: files.collect(),
        made_folders: Vec::new(),
    };
    let beside = |at: usize, end: &str| root.join(format!(".{at}.{end}"));
    let steps = (0..6).map(|at| Step { fresh: beside(at, "new"), old: beside(at, "old") }).collect();
    let plan = Plan { entry, steps };
    let found: Vec<_> = set.files().iter().map(|file| fs::metadata(&file.target).ok()).collect();
    stage(&plan, set.files(), &found, &CancelToken::new()).unwrap();
    (set, plan)
}

fn contents(root: &PathBuf) -> Vec<(String, String)> {
    names(root).into_iter().map(|name| (name.clone(), fs::read_to_string(root.join(name)).unwrap())).collect()
}

#[test]
fn c8_7_a_plan_is_taken_back_from_every_point_and_a_second_time() {
    for exchange in [true, false] {
        for done in 0..=6 {
            let (_folder, root, _) = place();
            let (_set, plan) = staged(&root);
            plan.files().take(done).for_each(|(file, step)| swap(file, step, exchange).unwrap());
            for _ in 0..2 {
                assert!(restore(&plan, true).lines.is_empty());
                let expected = ["change0", "change1", "delete0", "delete1"]
                    .map(|name| (name.to_owned(), "old".to_owned()));
                assert_eq!(contents(&root), expected, "exchange {exchange}, {done} done");
            }
        }
    }
}

#[test]
fn c8_7_what_somebody_writes_in_the_last_moment_is_not_lost() {
    for exchange in [true, false] {
        let (_folder, root, _) = place();
        let (_set, plan) = staged(&root);
        // After everything was compared, before the file is replaced.
        fs::write(root.join("change1"), "theirs").unwrap();
        let error = swap_all(&plan, exchange).unwrap_err();
        assert!(error.to_string().contains("change1 changed"), "{error}");
        assert!(restore(&plan, true).lines.is_empty());
        assert_eq!(fs::read_to_string(root.join("change1")).unwrap(), "theirs");
        assert_eq!(fs::read_to_string(root.join("change0")).unwrap(), "old");
        assert_eq!(names(&root), ["change0", "change1", "delete0", "delete1"]);
    }
}

#[test]
fn what_somebody_wrote_over_a_new_content_stays_and_the_original_is_kept_beside_it() {
    let (_folder, root, _) = place();
    let (_set, plan) = staged(&root);
    swap_all(&plan, true).unwrap();
    fs::write(root.join("change0"), "theirs").unwrap();
    let left = restore(&plan, true);
    assert_eq!(left.lines.len(), 1, "{left:?}");
    // Windows cannot exchange two files, so the original was moved away.
    let kept = if cfg!(windows) { ".0.old" } else { ".0.new" };
    assert!(left.lines[0].contains(kept) && !left.try_again, "{left:?}");
    assert_eq!(fs::read_to_string(root.join("change0")).unwrap(), "theirs");
    assert_eq!(fs::read_to_string(root.join(kept)).unwrap(), "old");
}

#[test]
fn half_written_contents_are_removed_when_nothing_was_touched() {
    let (_folder, root, _) = place();
    let (_set, plan) = staged(&root);
    fs::write(&plan.steps[0].fresh, "ne").unwrap();
    assert!(restore(&plan, false).lines.is_empty());
    assert_eq!(names(&root), ["change0", "change1", "delete0", "delete1"]);
}
