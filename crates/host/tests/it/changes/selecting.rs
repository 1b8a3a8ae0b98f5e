//! CONTRACT 8.6: a change can be applied in part, by file and by hunk, and renames are recognised.

use std::fs;

use toolsmith_host::changes::{ChangeError, Wanted};
use toolsmith_tool::{FileSelection, HunkRange};

use super::Place;

const GAP: &str = "-\n-\n-\n-\n-\n-\n-\n-\n-\n-\n";

fn content(first: &str, second: &str, third: &str) -> String {
    format!("{first}\n{GAP}{second}\n{GAP}{third}")
}

#[test]
fn c8_6_each_subset_of_hunks_gives_exactly_those_changes() {
    let before = content("a", "b", "c");
    let after = content("A\nA2", "", "C");
    for mask in 1_u8..8 {
        let place = Place::new(&[("f.txt", &before)]);
        let set = place.bind(vec![Wanted::write("f.txt", after.clone())]);
        let preview = set.preview().unwrap().remove(0);
        assert_eq!(preview.hunks.len(), 3);
        let chosen: Vec<HunkRange> = (0_u8..3)
            .filter(|at| mask & (1 << at) != 0)
            .map(|at| preview.hunks[usize::from(at)].range.clone())
            .collect();
        let selection = FileSelection { path: place.path("f.txt"), hunks: Some(chosen) };
        place.apply(&set.select(&[selection]).unwrap()).unwrap();
        let part =
            |at: u8, old: &'static str, new: &'static str| if mask & (1 << at) != 0 { new } else { old };
        let expected = content(part(0, "a", "A\nA2"), part(1, "b", ""), part(2, "c", "C"));
        assert_eq!(fs::read_to_string(place.path("f.txt")).unwrap(), expected, "{mask:03b}");
    }
}

#[test]
fn c8_6_the_hunks_of_a_preview_are_its_difference() {
    let place = Place::new(&[("f.txt", &content("a", "b", "c"))]);
    let set = place.bind(vec![Wanted::write("f.txt", content("A", "b", "C"))]);
    let preview = set.preview_in(&place.path("")).unwrap().remove(0);
    assert!(preview.diff.starts_with(b"--- a/f.txt\n+++ b/f.txt\n@@"), "{}", preview.diff_text());
    let parts: Vec<&[u8]> = preview.hunks.iter().map(|hunk| &preview.diff[hunk.diff.clone()]).collect();
    assert!(parts.iter().all(|part| part.starts_with(b"@@ ")));
    assert!(preview.diff.ends_with(&parts.concat()));
    assert!(preview.hunks.iter().all(|hunk| (hunk.added, hunk.removed) == (1, 1)));
}

#[test]
fn c8_6_a_hunk_that_the_change_does_not_have_is_refused() {
    let place = Place::new(&[("f.txt", "a\nb\n")]);
    let set = place.bind(vec![Wanted::write("f.txt", "a\nB\n"), Wanted::write("new.txt", "x\n")]);
    let wrong = [(5..9, 0..1), (0..1, 5..9), (0..1, 0..1)];
    for (old, new) in wrong {
        let selection =
            FileSelection { path: place.path("f.txt"), hunks: Some(vec![HunkRange { old, new }]) };
        assert!(matches!(set.select(&[selection]), Err(ChangeError::UnknownHunk { .. })));
    }
    let twice = HunkRange { old: 0..2, new: 0..2 };
    let selection =
        FileSelection { path: place.path("f.txt"), hunks: Some(vec![twice.clone(), twice.clone()]) };
    assert!(matches!(set.select(&[selection]), Err(ChangeError::UnknownHunk { .. })), "they overlap");
    let of_new = FileSelection { path: place.path("new.txt"), hunks: Some(vec![twice.clone()]) };
    assert!(matches!(set.select(&[of_new]), Err(ChangeError::UnknownHunk { .. })));
    let other = FileSelection::whole(place.path("other.txt"));
    assert!(matches!(set.select(&[other]), Err(ChangeError::NotIncluded { .. })));
    fs::write(place.path("f.txt"), "changed\n").unwrap();
    let selection = FileSelection { path: place.path("f.txt"), hunks: Some(vec![twice]) };
    assert!(matches!(set.select(&[selection]), Err(ChangeError::Drifted(_))));
}

#[test]
fn a_deleted_and_a_new_file_with_the_same_content_are_a_rename() {
    let place = Place::new(&[("old.txt", "same\n"), ("other.txt", "x\n")]);
    let set = place.bind(vec![
        Wanted::delete("old.txt"),
        Wanted::write("new.txt", "same\n"),
        Wanted::delete("other.txt"),
        Wanted::write("copy.txt", "same\n"),
    ]);
    let previews = set.preview().unwrap();
    assert_eq!(previews[0].renamed_to.as_deref(), Some(place.path("new.txt").as_path()));
    assert_eq!(previews[1].renamed_from.as_deref(), Some(place.path("old.txt").as_path()));
    assert_eq!(
        (&previews[2].renamed_to, &previews[3].renamed_from),
        (&None, &None),
        "one file is renamed once"
    );
}
