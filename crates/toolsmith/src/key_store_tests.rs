//! Stored keys.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[test]
fn keys_are_stored_privately_found_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::at(&Home::at(folder.path()));
    assert!(store.names().unwrap().is_empty());
    store.set("TOOLSMITH_TEST_KEY_A", " one\n").unwrap();
    store.set("TOOLSMITH_TEST_KEY_B", "two").unwrap();
    let mode = std::fs::metadata(store.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(store.names().unwrap(), ["TOOLSMITH_TEST_KEY_A", "TOOLSMITH_TEST_KEY_B"]);
    assert!(store.remove("TOOLSMITH_TEST_KEY_B").unwrap() && !store.remove("TOOLSMITH_TEST_KEY_B").unwrap());
    assert_eq!(store.read().unwrap().get("TOOLSMITH_TEST_KEY_A").map(String::as_str), Some("one"));
}

#[test]
fn a_file_that_is_not_ours_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::at(&Home::at(folder.path()));
    std::fs::create_dir_all(store.file().parent().unwrap()).unwrap();
    std::fs::write(store.file(), "not json").unwrap();
    assert!(store.set("A", "b").is_err());
    assert_eq!(std::fs::read_to_string(store.file()).unwrap(), "not json");
}
