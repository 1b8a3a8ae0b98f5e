//! The names and the tools say the same.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;

#[test]
fn the_list_of_names_is_that_of_the_tools() {
    let place = tempfile::tempdir().unwrap();
    let home = Home::at(place.path());
    let tools = built_in_tools(place.path(), &home, &change_store(&home).unwrap(), false);
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
    names.push(RESOLVE);
    assert_eq!(names, BUILT_IN_NAMES);
}

#[test]
fn c5_7_without_a_folder_of_the_user_changes_are_kept_in_a_private_one_of_this_process() {
    let place = tempfile::tempdir().unwrap();
    // A file stands where the folder would be, so that this holds for root too.
    fs::write(place.path().join(".toolsmith"), "").unwrap();
    let home = Home::at(place.path());
    let folders: Vec<_> = (0..2)
        .map(|_| {
            let store = change_store(&home).unwrap();
            assert_eq!(fs::metadata(store.folder()).unwrap().permissions().mode() & 0o777, 0o700);
            store.folder().to_path_buf()
        })
        .collect();
    assert_ne!(folders[0], folders[1], "the folder cannot be known beforehand");
    assert!(folders.iter().all(|folder| !folder.exists()), "it ends with its store");
}
