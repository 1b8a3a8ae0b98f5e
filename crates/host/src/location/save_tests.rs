//! Tests of whole-file writes.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use super::*;

fn save(path: &Path, content: &[u8], since: Option<Stamp>) -> io::Result<()> {
    Location::resolve(path)?.save(content, since, None)
}

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
    // C libraries have different words for it.
    let looped = format!("os error {}", libc::ELOOP);
    assert!(save(&at("a"), b"x", None).unwrap_err().to_string().contains(&looped));
    assert!(save(folder.path(), b"x", None).unwrap_err().to_string().contains("folder"));
    assert!(save(&at("new/"), b"x", None).is_err());
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

#[test]
fn c5_7_other_hard_links_keep_the_old_content() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("secret"), "old").unwrap();
    fs::hard_link(at("secret"), at("inside")).unwrap();
    save(&at("inside"), b"new", None).unwrap();
    assert_eq!(fs::read_to_string(at("secret")).unwrap(), "old");
    assert_eq!(fs::read_to_string(at("inside")).unwrap(), "new");
}

#[test]
fn c5_7_a_file_is_written_in_place_only_if_it_has_no_other_name_and_is_the_one_that_was_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("one"), "old").unwrap();
    fs::write(at("other"), "old").unwrap();
    let place = Location::resolve(&at("one")).unwrap();
    let other = fs::metadata(at("other")).unwrap();
    assert!(place.write_in_place(b"new", &other).unwrap_err().to_string().contains("changed"));
    let found = place.metadata().unwrap().unwrap();
    place.write_in_place(b"new", &found).unwrap();
    assert_eq!(fs::read_to_string(at("one")).unwrap(), "new");
    fs::hard_link(at("one"), at("elsewhere")).unwrap();
    let found = place.metadata().unwrap().unwrap();
    assert!(place.write_in_place(b"newer", &found).unwrap_err().to_string().contains("hard links"));
    assert_eq!(fs::read_to_string(at("elsewhere")).unwrap(), "new");
}

#[test]
fn c5_7_a_folder_replaced_by_a_link_after_the_check_does_not_redirect_the_write() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    fs::create_dir(at("outside")).unwrap();
    for (name, moved) in [("sub/file", "moved1"), ("sub/new/deep/file", "moved2")] {
        let mut place = Location::resolve(&at(name)).unwrap();
        fs::rename(at("sub"), at(moved)).unwrap();
        symlink("outside", at("sub")).unwrap();
        place.save(b"x", None, None).unwrap();
        assert_eq!(fs::read_dir(at("outside")).unwrap().count(), 0, "{name}");
        assert!(at(moved).join(name.strip_prefix("sub/").unwrap()).is_file());
        fs::remove_file(at("sub")).unwrap();
        fs::create_dir(at("sub")).unwrap();
    }
}

#[test]
fn c5_7_a_link_put_where_a_missing_folder_was_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("outside")).unwrap();
    let mut place = Location::resolve(&at("new/file")).unwrap();
    symlink("outside", at("new")).unwrap();
    place.save(b"x", None, None).unwrap_err();
    // A link in the place of the file itself is replaced, never followed.
    let mut place = Location::resolve(&at("late")).unwrap();
    symlink("outside/made", at("late")).unwrap();
    place.save(b"x", None, None).unwrap_err();
    assert_eq!(fs::read_dir(at("outside")).unwrap().count(), 0);
}

#[test]
fn without_files_that_have_no_name_the_content_is_written_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let place = Location::resolve(&path).unwrap();
    place.save_named(b"one", None, NEW_FILE, None, None).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    let old = place.metadata().unwrap();
    place.save_named(b"two", old.as_ref(), 0o600, None, None).unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("two", 0o640));
    assert!(place.save_named(b"three", None, NEW_FILE, None, None).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_name_left_by_a_process_that_is_gone_is_removed_and_one_in_use_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
    fs::create_dir(at("records")).unwrap();
    let all = Temporaries::at(at("records"));
    let (gone, used) = (at(".toolsmith-0000000000000001.tmp"), at(".toolsmith-0000000000000002.tmp"));
    for path in [&gone, &used] {
        fs::write(path, "").unwrap();
    }
    // Nothing holds the lock of this one.
    fs::write(at("records").join("1"), gone.to_str().unwrap()).unwrap();
    let _record = all.begin(&used).unwrap();
    // A record cannot name anything else.
    fs::write(at("precious"), "").unwrap();
    fs::write(at("records").join("2"), at("precious").to_str().unwrap()).unwrap();
    all.clear();
    assert!(!gone.exists() && used.exists() && at("precious").exists());
    assert_eq!(fs::read_dir(at("records")).unwrap().count(), 1);
}
