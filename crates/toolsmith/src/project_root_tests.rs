//! The project of a working directory.

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use super::find_project;
use crate::home::Home;

fn place(folders: &[&str]) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    for folder in folders {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    (place, root)
}

#[test]
fn the_nearest_marker_up_to_the_repository_is_the_project() {
    let (_place, root) =
        place(&["home", "above/.toolsmith", "above/repo/.git", "above/repo/.omp", "above/repo/a/b"]);
    let home = Home::at(root.join("home"));
    assert_eq!(find_project(&root.join("above/repo/a/b"), &home), root.join("above/repo"));
    fs::create_dir(root.join("above/repo/a/.claude")).unwrap();
    assert_eq!(find_project(&root.join("above/repo/a/b"), &home), root.join("above/repo/a"));
    assert_eq!(find_project(&root.join("above/repo"), &home), root.join("above/repo"));
}

#[test]
fn directories_above_the_repository_are_not_searched() {
    let (_place, root) = place(&["home", "above/.toolsmith", "above/repo/.git", "above/repo/a"]);
    let home = Home::at(root.join("home"));
    assert_eq!(find_project(&root.join("above/repo/a"), &home), root.join("above/repo/a"));
}

#[test]
fn the_home_is_not_the_project_of_a_directory_below_it() {
    let (_place, root) = place(&["home/.toolsmith", "home/.claude", "home/.git", "home/work/sub"]);
    let home = Home::at(root.join("home"));
    assert_eq!(find_project(&root.join("home/work/sub"), &home), root.join("home/work/sub"));
    // The home itself may be worked in.
    assert_eq!(find_project(&root.join("home"), &home), root.join("home"));
}

#[test]
fn outside_a_repository_directories_below_the_home_are_searched_and_others_are_not() {
    let (_place, root) = place(&["home/work/.toolsmith", "home/work/a/b", "other/.toolsmith", "other/a"]);
    let home = Home::at(root.join("home"));
    assert_eq!(find_project(&root.join("home/work/a/b"), &home), root.join("home/work"));
    // Everyone can write to directories such as /tmp.
    assert_eq!(find_project(&root.join("other/a"), &home), root.join("other/a"));
}
