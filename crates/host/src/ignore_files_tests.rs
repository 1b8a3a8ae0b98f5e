//! Ignore files that have no end.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn c4_7_ignore_files_that_are_not_regular_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join(".gitignore"), "x\n").unwrap();
    assert!(are_readable(&path) && are_readable_above(&path));
    symlink("/dev/zero", path.join(".ignore")).unwrap();
    assert!(!are_readable(&path));
    fs::remove_file(path.join(".ignore")).unwrap();
    // A link that leads nowhere is not read.
    symlink("nowhere", path.join(".ignore")).unwrap();
    assert!(are_readable(&path));
    symlink("/dev/zero", folder.path().join("a/.git")).unwrap();
    assert!(!are_readable_above(&path) && are_readable(&path));
    fs::File::create(path.join(".gitignore")).unwrap().set_len(MAX_BYTES + 1).unwrap();
    assert!(!are_readable(&path));
}
