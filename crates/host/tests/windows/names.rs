//! CONTRACT 5.7 with the names of Windows: devices, streams, case, long paths, and files that others have open.

use std::{fs, os::windows::fs::OpenOptionsExt as _, path::Path};

use toolsmith_host::{create_private_folder, location::Location, private};

fn save(path: &Path, content: &[u8]) -> std::io::Result<()> {
    Location::resolve(path)?.save(content, None, None)
}

#[test]
fn c5_7_names_that_are_not_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file.txt"), "kept").unwrap();
    for name in ["NUL", "com1.txt", "file.txt:stream", "file.txt.", "file.txt ", "CONIN$", "a<b", "a|b"] {
        let path = folder.path().join(name);
        assert!(save(&path, b"changed").is_err(), "{name}");
    }
    for path in [r"\\.\C:", r"C:relative.txt", r"\\?\GLOBALROOT\Device\Null"] {
        assert!(Location::resolve(Path::new(path)).is_err(), "{path}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("file.txt")).unwrap(), "kept");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn c5_7_two_spellings_of_a_name_are_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("ReadMe.txt");
    fs::write(&written, "old").unwrap();
    let other = folder.path().join("README.TXT");
    let place = Location::resolve(&other).unwrap();
    assert!(place.real_path().ends_with("ReadMe.txt"), "{}", place.real_path().display());
    save(&other, b"new").unwrap();
    assert_eq!(fs::read_to_string(&written).unwrap(), "new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a second file was made");
}

#[test]
fn c5_7_verbatim_drive_and_long_paths_lead_to_the_same_place() {
    let folder = tempfile::tempdir().unwrap();
    let mut long = folder.path().canonicalize().unwrap();
    while long.as_os_str().len() < 300 {
        long.push("a folder with a name of some length, ünï 漢字");
    }
    fs::create_dir_all(&long).unwrap();
    let file = long.join("file.txt");
    save(&file, b"far away").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"far away");
    let text = file.to_str().unwrap();
    let plain = text.strip_prefix(r"\\?\").unwrap_or(text);
    let places = [text, plain].map(|path| Location::resolve(Path::new(path)).unwrap());
    assert_eq!(places[0].real_path(), places[1].real_path());
}

#[test]
fn a_file_that_another_program_has_open_is_reported_as_such_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("busy.txt");
    fs::write(&path, "kept").unwrap();
    let busy = fs::File::options().read(true).share_mode(0).open(&path).unwrap();
    let error = save(&path, b"changed").unwrap_err().to_string();
    assert!(error.contains("another program has"), "{error}");
    drop(busy);
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file was left");
    save(&path, b"changed").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "changed");
}

#[test]
fn a_read_only_file_is_not_replaced_silently() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("locked.txt");
    fs::write(&path, "kept").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    match save(&path, b"changed") {
        Ok(()) => assert!(fs::metadata(&path).unwrap().permissions().readonly(), "the attribute was lost"),
        Err(_) => assert_eq!(fs::read_to_string(&path).unwrap(), "kept"),
    }
}

#[test]
fn private_folders_and_files_can_be_used_by_their_owner() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    create_private_folder(&secret).unwrap();
    let file = secret.join("keys.json");
    let opened = private(fs::File::options().write(true).create_new(true)).open(&file).unwrap();
    toolsmith_host::make_private(&opened).unwrap();
    drop(opened);
    save(&file, b"{}").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
}

#[test]
fn links_are_followed_to_where_they_lead() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    let link = folder.path().join("link");
    // Windows allows it to developers. Wine 8 says that it has made a link and makes none.
    let made = std::os::windows::fs::symlink_dir(folder.path().join("real"), &link);
    if made.is_err() || !link.is_symlink() {
        eprintln!("skipped: a link cannot be made here");
        return;
    }
    let place = Location::resolve(&link.join("file.txt")).unwrap();
    let expected = folder.path().canonicalize().unwrap().join("real").join("file.txt");
    assert_eq!(
        place.real_path().canonicalize().unwrap_or_else(|_| place.real_path().to_path_buf()),
        expected
    );
}
