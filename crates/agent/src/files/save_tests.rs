//! Tests of whole-file writes.

use std::os::unix::fs::symlink;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn the_mode_stays_and_a_new_file_is_made_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("run.sh");
    fs::write(&script, "old").unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o751)).unwrap();
    save(&script, b"new", None).unwrap();
    assert_eq!((fs::read_to_string(&script).unwrap().as_str(), mode(&script)), ("new", 0o751));
    let (made, plain) = (folder.path().join("a/b/made"), folder.path().join("plain"));
    save(&made, b"x", None).unwrap();
    fs::write(&plain, "x").unwrap();
    assert_eq!(mode(&made), mode(&plain));
    // Nothing is left behind.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn links_are_followed_and_stay_links() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("real")).unwrap();
    fs::write(at("real/file"), "old").unwrap();
    symlink("real/file", at("link")).unwrap();
    symlink("link", at("second")).unwrap();
    save(&at("second"), b"new", None).unwrap();
    assert_eq!(fs::read_to_string(at("real/file")).unwrap(), "new");
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    symlink("real/fresh", at("dangling")).unwrap();
    save(&at("dangling"), b"made", None).unwrap();
    assert_eq!(fs::read_to_string(at("real/fresh")).unwrap(), "made");
}

#[test]
fn what_is_no_file_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    symlink("b", at("a")).unwrap();
    symlink("a", at("b")).unwrap();
    assert!(save(&at("a"), b"x", None).unwrap_err().to_string().contains("symbolic links"));
    assert!(save(folder.path(), b"x", None).unwrap_err().to_string().contains("folder"));
    let socket = at("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(save(&socket, b"x", None).unwrap_err().to_string().contains("not a regular file"));
    fs::write(at("file"), "").unwrap();
    assert!(save(&at("file/below"), b"x", None).is_err());
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, "one").unwrap();
    let stamp = Stamp::of(&fs::metadata(&path).unwrap());
    fs::write(&path, "three").unwrap();
    let error = save(&path, b"mine", Some(stamp)).unwrap_err();
    assert!(error.to_string().contains("read it again"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "three");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    fs::remove_file(&path).unwrap();
    assert!(save(&path, b"mine", Some(stamp)).is_err());
}
