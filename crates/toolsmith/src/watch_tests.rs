//! Files that change in the ways editors and people change them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn watch(files: &[&PathBuf]) -> Watch {
    let mut watch = Watch::new().unwrap();
    watch.add(files.iter().copied());
    watch
}

#[tokio::test]
async fn a_file_that_is_replaced_by_renaming_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tool.ts");
    fs::write(&file, "1").unwrap();
    let mut watch = watch(&[&file]);
    for text in ["2", "3"] {
        let beside = folder.path().join(".tool.ts.swp");
        fs::write(&beside, text).unwrap();
        fs::rename(&beside, &file).unwrap();
        assert_eq!(watch.changed().await.as_slice(), std::slice::from_ref(&file));
    }
}

#[tokio::test]
async fn a_file_that_goes_and_comes_again_is_seen_with_its_folder() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("tool");
    let file = folder.join("index.ts");
    fs::create_dir(&folder).unwrap();
    fs::write(&file, "1").unwrap();
    let mut watch = watch(&[&file]);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(watch.changed().await.as_slice(), std::slice::from_ref(&file));
    fs::create_dir(&folder).unwrap();
    fs::write(&file, "2").unwrap();
    assert_eq!(watch.changed().await.as_slice(), std::slice::from_ref(&file));
    fs::write(&file, "3").unwrap();
    assert_eq!(watch.changed().await, [file]);
}

#[tokio::test]
async fn a_file_that_says_the_same_has_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let (same, other) = (folder.path().join("same.ts"), folder.path().join("other.ts"));
    fs::write(&same, "1").unwrap();
    fs::write(&other, "1").unwrap();
    let mut watch = watch(&[&same, &other]);
    fs::write(&same, "1").unwrap();
    fs::write(folder.path().join("unrelated.txt"), "1").unwrap();
    fs::write(&other, "2").unwrap();
    assert_eq!(watch.changed().await, [other]);
}
