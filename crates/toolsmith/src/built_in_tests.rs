//! The names and the tools say the same.

use std::os::unix::fs::{PermissionsExt as _, symlink};

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
fn a_temporary_folder_others_may_write_to_is_not_believed() {
    let place = tempfile::tempdir().unwrap();
    let folder = private_folder_in(place.path()).unwrap();
    assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    assert_eq!(private_folder_in(place.path()).unwrap(), folder);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    private_folder_in(place.path()).unwrap_err();
    let other = tempfile::tempdir().unwrap();
    fs::remove_dir(&folder).unwrap();
    symlink(other.path(), &folder).unwrap();
    private_folder_in(place.path()).unwrap_err();
}
