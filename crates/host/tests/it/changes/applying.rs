//! CONTRACT 8.7: what is applied is what was shown, byte for byte, in all files or in none.

use std::{fs, os::unix::fs::PermissionsExt};

use toolsmith_host::{
    changes::{Base, ChangeError, ChangeSet, Wanted, content_hash},
    exec::{Request, Stdin, run},
};
use toolsmith_tool::CancelToken;

use super::Place;

#[test]
fn c8_7_all_files_are_written_and_nothing_is_left_beside_them() {
    let place = Place::new(&[("a.txt", "a\n"), ("sub/b.txt", "b\n"), ("gone.txt", "x\n")]);
    let set = place.bind(vec![
        Wanted::write("a.txt", "A\n"),
        Wanted::write("sub/b.txt", "B\n"),
        Wanted::write("new/deep/c.txt", "C\n"),
        Wanted::delete("gone.txt"),
        Wanted::write(place.path("sub/../sub/d.txt"), ""),
    ]);
    let applied = place.apply(&set).unwrap();
    assert_eq!(applied.files.len(), 5);
    let tree = place.tree();
    let files: Vec<_> = tree.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(
        files,
        [
            ("a.txt", "A\n"),
            ("new/", ""),
            ("new/deep/", ""),
            ("new/deep/c.txt", "C\n"),
            ("sub/", ""),
            ("sub/b.txt", "B\n"),
            ("sub/d.txt", "")
        ]
    );
    assert_eq!(fs::read_dir(place.state.join("unfinished")).unwrap().count(), 0);
}

#[test]
fn the_mode_stays_and_the_store_is_private() {
    let place = Place::new(&[("run.sh", "#!/bin/sh\n")]);
    fs::set_permissions(place.path("run.sh"), PermissionsExt::from_mode(0o751)).unwrap();
    place.apply(&place.bind(vec![Wanted::write("run.sh", "#!/bin/bash\n")])).unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(place.path("run.sh")), 0o751);
    assert_eq!(mode(place.state.clone()), 0o700);
    assert_eq!(mode(place.state.join("contents")), 0o700);
}

#[test]
fn line_ends_and_bytes_that_are_no_text_come_through() {
    let place = Place::new(&[]);
    let before: &[u8] = b"one\r\ntwo\xff\r\nthree\rstill three\r\nfour";
    let after: &[u8] = b"one\r\nTWO\xff\xfe\r\nthree\rstill three\r\nfour";
    fs::write(place.path("x.bin"), before).unwrap();
    let set = place.bind(vec![Wanted::write("x.bin", after)]);
    let preview = set.preview().unwrap().remove(0);
    let body = preview.diff.splitn(3, |byte| *byte == b'\n').nth(2).unwrap();
    assert_eq!(
        body,
        b"@@ -1,4 +1,4 @@\n one\r\n-two\xff\r\n+TWO\xff\xfe\r\n three\rstill three\r\n four\n\\ No newline at end of file\n"
    );
    assert_eq!((preview.added, preview.removed, preview.is_binary), (1, 1, false));
    place.apply(&set).unwrap();
    assert_eq!(fs::read(place.path("x.bin")).unwrap(), after);
}

#[tokio::test]
async fn the_difference_is_exactly_what_patch_needs() {
    let lines: String = (0..200).map(|n| format!("line {n}\n")).collect();
    let place = Place::new(&[("a.txt", &lines), ("b.txt", "no end"), ("c.txt", "to go\n")]);
    let set = place.bind(vec![
        Wanted::write("a.txt", lines.replace("line 7\n", "").replace("line 150\n", "line 150\nmore\n")),
        Wanted::write("b.txt", "no end\n"),
        Wanted::delete("c.txt"),
        Wanted::write("d.txt", "new\n"),
    ]);
    let diff: Vec<u8> = set.preview().unwrap().into_iter().flat_map(|file| file.diff).collect();
    // `git apply` is stricter than `patch` and there wherever the repository is.
    let strip = place.root.components().count();
    let request = Request::new("git")
        .args(["apply".to_owned(), format!("-p{strip}"), "-".to_owned()])
        .cwd(&place.root)
        .stdin(Stdin::Bytes(diff));
    let other = Place::new(&[]);
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr.text());
    let patched = place.tree();
    // The same change, made by us, from the same beginning.
    for (name, text) in [("a.txt", lines.as_str()), ("b.txt", "no end"), ("c.txt", "to go\n")] {
        fs::write(other.path(name), text).unwrap();
    }
    let wanted = set.files().iter().map(|file| {
        let name = file.path.file_name().unwrap();
        file.content.clone().map_or_else(|| Wanted::delete(name), |content| Wanted::write(name, content))
    });
    other.apply(&other.bind(wanted.collect())).unwrap();
    assert_eq!(patched, other.tree());
}

#[test]
fn a_binary_file_is_applied_and_only_its_name_is_shown() {
    let place = Place::new(&[("x", "a\0b")]);
    let set = place.bind(vec![Wanted::write("x", b"a\0c".to_vec())]);
    let preview = set.preview().unwrap().remove(0);
    assert!(
        preview.is_binary && preview.diff_text().starts_with("Binary files a/"),
        "{}",
        preview.diff_text()
    );
    place.apply(&set).unwrap();
    assert_eq!(place.read("x"), "a\0c");
}

#[test]
fn a_subset_changes_only_the_files_that_were_chosen() {
    let place = Place::new(&[("a", "1"), ("b", "1"), ("c", "1")]);
    let set = place.bind(["a", "b", "c"].map(|name| Wanted::write(name, "2")).to_vec());
    let chosen = set.subset(&[place.path("c"), place.path("a")]).unwrap();
    place.apply(&chosen).unwrap();
    assert_eq!([place.read("a"), place.read("b"), place.read("c")], ["2", "1", "2"]);
    let error = set.subset(&["other".into()]).unwrap_err();
    assert_eq!(error.to_string(), "other is not among the files of this change");
}

#[test]
fn a_change_to_what_is_there_already_is_none() {
    let place = Place::new(&[("a", "1")]);
    assert!(place.bind(vec![Wanted::write("a", "1")]).is_empty());
}

#[test]
fn the_file_behind_a_symlink_is_changed_and_the_link_stays() {
    let place = Place::new(&[("real.txt", "1")]);
    std::os::unix::fs::symlink("real.txt", place.path("link.txt")).unwrap();
    std::os::unix::fs::symlink("later.txt", place.path("dangling.txt")).unwrap();
    place
        .apply(&place.bind(vec![Wanted::write("link.txt", "2"), Wanted::write("dangling.txt", "3")]))
        .unwrap();
    let tree = place.tree();
    assert_eq!(
        [&tree["real.txt"], &tree["link.txt"], &tree["later.txt"], &tree["dangling.txt"]],
        ["2", "-> real.txt", "3", "-> later.txt"]
    );
    let twice =
        ChangeSet::bind(&place.root, vec![Wanted::write("real.txt", "4"), Wanted::write("link.txt", "5")]);
    assert!(matches!(twice, Err(ChangeError::Twice { .. })), "{twice:?}");
}

#[test]
fn a_symlink_out_of_the_project_is_refused_unless_that_path_was_asked_for() {
    let place = Place::new(&[]);
    let outside = place.root.parent().unwrap().join("outside.txt");
    fs::write(&outside, "1").unwrap();
    std::os::unix::fs::symlink(&outside, place.path("link.txt")).unwrap();
    let error = ChangeSet::bind(&place.root, vec![Wanted::write("link.txt", "2")]).unwrap_err();
    assert!(matches!(error, ChangeError::Escapes { .. }), "{error}");
    place.apply(&place.bind(vec![Wanted::write("../outside.txt", "2")])).unwrap();
    assert_eq!(fs::read_to_string(outside).unwrap(), "2");
}

#[test]
fn names_that_are_no_text_or_as_long_as_can_be_work() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let place = Place::new(&[]);
    let odd = place.root.join(OsStr::from_bytes(b"odd\xff\nname"));
    let long = place.path(&"x".repeat(255));
    fs::write(&odd, "1").unwrap();
    fs::write(&long, "1").unwrap();
    place.apply(&place.bind(vec![Wanted::write(&odd, "2"), Wanted::write(&long, "2")])).unwrap();
    assert_eq!([fs::read(&odd).unwrap(), fs::read(&long).unwrap()], [b"2", b"2"]);
    place.store.undo_last(&place.root, &CancelToken::new()).unwrap();
    assert_eq!([fs::read(&odd).unwrap(), fs::read(&long).unwrap()], [b"1", b"1"]);
}

#[test]
fn a_cancel_before_the_first_file_changes_nothing() {
    let place = Place::new(&[("a", "1")]);
    let set = place.bind(vec![Wanted::write("a", "2")]);
    let cancel = CancelToken::new();
    cancel.cancel("test");
    let error = place.store.apply(&set, &place.note(), &cancel).unwrap_err();
    assert_eq!(error.to_string(), "Stopped before anything was changed.");
    assert_eq!(place.tree().into_iter().collect::<Vec<_>>(), [("a".to_owned(), "1".to_owned())]);
}

#[test]
fn a_base_that_was_computed_elsewhere_is_compared_when_the_change_is_bound() {
    let place = Place::new(&[("a", "1")]);
    let bind = |name: &str, base| ChangeSet::bind(&place.root, vec![Wanted::write(name, "2").base(base)]);
    assert!(bind("a", Base::Content(content_hash(b"1"))).is_ok());
    assert!(bind("b", Base::Absent).is_ok());
    let texts = [
        bind("a", Base::Content(content_hash(b"0"))).unwrap_err().to_string(),
        bind("a", Base::Absent).unwrap_err().to_string(),
        bind("b", Base::Content(content_hash(b"0"))).unwrap_err().to_string(),
        ChangeSet::bind(&place.root, vec![Wanted::delete("b")]).unwrap_err().to_string(),
    ];
    for (text, what) in texts.iter().zip(["/a changed", "/a was created", "/b was deleted", "/b was deleted"])
    {
        assert!(text.contains(what), "{text}");
    }
}
