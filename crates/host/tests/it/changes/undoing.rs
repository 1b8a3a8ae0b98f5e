//! What was done can be listed and undone, in order, by number, and within limits.

use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

use toolsmith_host::changes::{ChangeError, ChangeNote, ChangeStore, UndoLimits, Wanted};
use toolsmith_tool::CancelToken;

use super::Place;

fn undo_last(place: &Place) -> Result<String, ChangeError> {
    place.store.undo_last(&place.root, &CancelToken::new()).map(|past| past.entry.label)
}

fn change(place: &Place, label: &str, wanted: Vec<Wanted>) -> String {
    let note = ChangeNote::new("edit", label, &place.root);
    place.store.apply(&place.bind(wanted), &note, &CancelToken::new()).unwrap().id
}

#[test]
fn changes_are_undone_newest_first_and_an_undo_can_be_undone() {
    let place = Place::new(&[("a", "1"), ("gone", "here")]);
    fs::set_permissions(place.path("gone"), PermissionsExt::from_mode(0o640)).unwrap();
    let start = place.tree();
    change(&place, "first", vec![Wanted::write("a", "2"), Wanted::delete("gone")]);
    let second = change(&place, "second", vec![Wanted::write("a", "3"), Wanted::write("new/b", "x")]);
    let end = place.tree();
    assert_eq!(undo_last(&place).unwrap(), "second");
    assert_eq!(place.read("a"), "2");
    assert!(!place.path("new").exists(), "a folder that was made for it goes with it");
    assert_eq!(undo_last(&place).unwrap(), "first");
    assert_eq!(place.tree(), start);
    assert_eq!(fs::metadata(place.path("gone")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(undo_last(&place).unwrap_err().to_string(), "There is nothing to undo.");
    let error = place.store.undo(&second, &CancelToken::new()).unwrap_err();
    assert!(matches!(error, ChangeError::AlreadyUndone { .. }), "{error}");

    let past = place.store.list(Some(&place.root)).unwrap();
    let lines: Vec<_> = past.iter().map(|past| (past.entry.label.as_str(), past.is_undone)).collect();
    assert_eq!(lines, [("Undo: first", false), ("Undo: second", false), ("second", true), ("first", true)]);
    for label in ["Undo: first", "Undo: second"] {
        let past = place.store.list(None).unwrap();
        let undo = past.iter().find(|past| past.entry.label == label).unwrap();
        place.store.undo(&undo.entry.id, &CancelToken::new()).unwrap();
    }
    assert_eq!(place.tree(), end, "made again");
    assert_eq!(undo_last(&place).unwrap(), "second");
}

#[test]
fn undoing_refuses_where_somebody_went_on_working() {
    let place = Place::new(&[("a", "1"), ("b", "1")]);
    change(&place, "both", vec![Wanted::write("a", "2"), Wanted::write("b", "2")]);
    fs::write(place.path("b"), "mine").unwrap();
    let error = undo_last(&place).unwrap_err().to_string();
    assert!(error.contains("/b changed"), "{error}");
    assert_eq!([place.read("a"), place.read("b")], ["2", "mine"]);
}

#[test]
fn the_last_change_is_the_last_one_of_this_project() {
    let place = Place::new(&[("a", "1")]);
    let other = Place::new(&[("a", "1")]);
    change(&place, "here", vec![Wanted::write("a", "2")]);
    let note = ChangeNote::new("edit", "there", &other.root);
    place.store.apply(&other.bind(vec![Wanted::write("a", "2")]), &note, &CancelToken::new()).unwrap();
    assert_eq!(place.store.list(None).unwrap().len(), 2);
    assert_eq!(place.store.list(Some(&place.root)).unwrap().len(), 1);
    assert_eq!(undo_last(&place).unwrap(), "here");
    assert_eq!(other.read("a"), "2");
}

#[test]
fn a_number_nobody_knows_is_an_error() {
    let place = Place::new(&[]);
    for id in ["x", "../../etc/passwd", ""] {
        let error = place.store.undo(id, &CancelToken::new()).unwrap_err();
        assert!(matches!(error, ChangeError::Unknown { .. }), "{error}");
    }
}

#[test]
fn what_somebody_else_changed_can_be_written_down_and_undone() {
    let place = Place::new(&[("a", "1"), ("b", "1"), ("same", "1")]);
    let start = place.tree();
    let paths = ["a", "b", "same", "new/deep/c"].map(|name| place.path(name));
    let before = place.store.snapshot(&paths).unwrap();
    fs::write(place.path("a"), "2").unwrap();
    fs::remove_file(place.path("b")).unwrap();
    fs::create_dir_all(place.path("new/deep")).unwrap();
    fs::write(place.path("new/deep/c"), "2").unwrap();
    let recorded = place.store.record(before, &place.note()).unwrap().unwrap();
    assert_eq!(recorded.files.len(), 3, "what stayed the same is left out");
    place.store.undo(&recorded.id, &CancelToken::new()).unwrap();
    assert_eq!(place.tree(), start);
    let nothing = place.store.snapshot(&paths).unwrap();
    assert!(place.store.record(nothing, &place.note()).unwrap().is_none());
}

fn kept_contents(place: &Place) -> usize {
    let folders = fs::read_dir(place.state.join("contents")).unwrap();
    folders.map(|folder| fs::read_dir(folder.unwrap().path()).unwrap().count()).sum()
}

#[test]
fn the_store_does_not_grow_for_ever() {
    let place = Place::new(&[("a", "0")]);
    let limited = |limits: UndoLimits| ChangeStore::open(&place.state).unwrap().limits(limits);
    let write = |store: &ChangeStore, text: String| {
        let set = place.bind(vec![Wanted::write("a", text)]);
        store.apply(&set, &place.note(), &CancelToken::new()).unwrap();
    };
    let few = limited(UndoLimits::default().entries(3));
    (1..10).for_each(|n| write(&few, n.to_string()));
    assert_eq!((few.list(None).unwrap().len(), kept_contents(&place)), (3, 3));
    let small = limited(UndoLimits::default().bytes(1000));
    (1..10).for_each(|n| write(&small, n.to_string().repeat(400)));
    assert!(small.list(None).unwrap().len() <= 3, "{:?}", small.list(None));
    let young = limited(UndoLimits::default().age(Duration::ZERO));
    write(&young, "y".to_owned());
    assert_eq!((young.list(None).unwrap().len(), kept_contents(&place)), (1, 1), "the newest stays");
    young.undo_last(&place.root, &CancelToken::new()).unwrap();
}

#[test]
fn a_file_too_large_to_keep_is_changed_but_not_restored() {
    let place = Place::new(&[("a", "0123456789")]);
    let store = ChangeStore::open(&place.state).unwrap().limits(UndoLimits::default().file_bytes(5));
    store.apply(&place.bind(vec![Wanted::write("a", "x")]), &place.note(), &CancelToken::new()).unwrap();
    let error = store.undo_last(&place.root, &CancelToken::new()).unwrap_err();
    assert!(matches!(error, ChangeError::NotKept { .. }), "{error}");
    assert_eq!(place.read("a"), "x");
}

#[test]
fn damaged_entries_and_plans_are_passed_over() {
    let place = Place::new(&[("a", "1")]);
    change(&place, "good", vec![Wanted::write("a", "2")]);
    fs::write(place.state.join("entries/0.json"), "{").unwrap();
    fs::write(place.state.join("unfinished/0.json"), "[]").unwrap();
    let recovery = place.store.recover().unwrap();
    assert_eq!((recovery.taken_back.len(), recovery.left.len()), (0, 1));
    assert_eq!(undo_last(&place).unwrap(), "good");
}
