//! What stands in the way of a change: then nothing is changed, and the error says which file and why.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use toolsmith_host::changes::{ChangeError, ChangeSet, Drift, DriftKind, Wanted};

use super::Place;

/// Two files, something done to the second between preview and apply; gives what became of it.
fn drift(meanwhile: impl FnOnce(&Path)) -> DriftKind {
    let place = Place::new(&[("a.txt", "1"), ("b.txt", "1")]);
    let set = place.bind(vec![Wanted::write("a.txt", "2"), Wanted::write("b.txt", "2")]);
    meanwhile(&place.path("b.txt"));
    let before = place.tree();
    let error = place.apply(&set).unwrap_err();
    assert_eq!(place.tree(), before, "nothing was changed");
    let ChangeError::Drifted(drifts) = error else { panic!("{error}") };
    let [Drift { path, kind }] = drifts.try_into().unwrap();
    assert_eq!(path, place.path("b.txt"));
    kind
}

#[test]
fn c8_7_a_file_that_is_not_as_it_was_is_named_and_nothing_is_changed() {
    assert_eq!(drift(|path| fs::write(path, "other").unwrap()), DriftKind::Changed);
    assert_eq!(drift(|path| fs::remove_file(path).unwrap()), DriftKind::Deleted);
    let read_only = drift(|path| fs::set_permissions(path, PermissionsExt::from_mode(0o444)).unwrap());
    assert_eq!(read_only, DriftKind::ReadOnly);
    let folder = drift(|path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    });
    assert_eq!(folder, DriftKind::NotAFile);
}

#[test]
fn c8_7_a_file_replaced_by_a_symlink_to_the_same_content_is_another_file() {
    let kind = drift(|path| {
        let elsewhere = path.with_file_name("c.txt");
        fs::rename(path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(elsewhere, path).unwrap();
    });
    let DriftKind::Redirected { to } = kind else { panic!("{kind:?}") };
    assert!(to.ends_with("c.txt"));
    let looped = drift_error(|path| {
        fs::remove_file(path).unwrap();
        std::os::unix::fs::symlink(path, path).unwrap();
    });
    assert!(looped.contains("b.txt"), "{looped}");
}

fn drift_error(meanwhile: impl FnOnce(&Path)) -> String {
    let place = Place::new(&[("b.txt", "1")]);
    let set = place.bind(vec![Wanted::write("b.txt", "2")]);
    meanwhile(&place.path("b.txt"));
    place.apply(&set).unwrap_err().to_string()
}

#[test]
fn all_that_changed_are_named_at_once() {
    let place = Place::new(&[("a", "1"), ("b", "1"), ("c", "1")]);
    let set = place.bind(["a", "b", "c", "d"].map(|name| Wanted::write(name, "2")).to_vec());
    fs::write(place.path("a"), "x").unwrap();
    fs::remove_file(place.path("b")).unwrap();
    fs::write(place.path("d"), "x").unwrap();
    let text = place.apply(&set).unwrap_err().to_string();
    let root = place.root.display();
    assert_eq!(
        text,
        format!(
            "Nothing was changed, because not every file is as it was at the preview: {root}/a changed; {root}/b was \
             deleted; {root}/d was created by somebody else. Make the preview again."
        )
    );
    assert!(set.preview().is_err() && set.check().is_err());
}

#[test]
fn folders_devices_and_nothing_at_all_are_no_files() {
    let place = Place::new(&[("sub/a", "1")]);
    for name in ["sub", "/dev/null", ""] {
        let error = ChangeSet::bind(&place.root, vec![Wanted::write(name, "x")]).unwrap_err();
        assert!(matches!(error, ChangeError::Drifted(_)), "{name}: {error}");
    }
    let error = ChangeSet::bind(&place.root, vec![Wanted::write("/", "x")]).unwrap_err();
    assert!(matches!(error, ChangeError::NoName { .. }), "{error}");
    let error = ChangeSet::bind(&place.root, vec![Wanted::write("sub/a/below-a-file", "x")]).unwrap_err();
    assert!(matches!(error, ChangeError::Io { .. }), "{error}");
}

#[test]
fn a_folder_that_cannot_be_written_to_leaves_all_files_as_they_were() {
    let place = Place::new(&[("a", "1"), ("sub/b", "1")]);
    let set =
        place.bind(vec![Wanted::write("a", "2"), Wanted::write("sub/b", "2"), Wanted::write("new/c", "2")]);
    // To root every folder is writable; a folder that is none is not.
    fs::rename(place.path("sub"), place.path("away")).unwrap();
    fs::write(place.path("new"), "in the way").unwrap();
    let before = place.tree();
    place.apply(&set).unwrap_err();
    assert_eq!(place.tree(), before);
}

#[test]
fn c8_7_two_spellings_of_one_file_are_one_file() {
    let place = Place::new(&[("a.txt", "a\n")]);
    // Two names of one file, as a file system that ignores case has.
    fs::hard_link(place.path("a.txt"), place.path("A.txt")).unwrap();
    let twice = vec![Wanted::write("a.txt", "1\n"), Wanted::write("A.txt", "2\n")];
    let error = ChangeSet::bind(&place.root, twice).unwrap_err();
    assert!(matches!(error, ChangeError::Twice { .. }), "{error}");
    fs::remove_file(place.path("A.txt")).unwrap();
    fs::write(place.path("A.txt"), "other\n").unwrap();
    place.bind(vec![Wanted::write("a.txt", "1\n"), Wanted::write("A.txt", "2\n")]);
}
