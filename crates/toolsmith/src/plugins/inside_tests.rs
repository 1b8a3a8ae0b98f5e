//! Paths and patterns of manifests.

use std::{fs, os::unix::fs::symlink};

use super::{NotInside, expand_patterns, inside};

#[test]
fn paths_stay_in_the_plugin() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("plugin");
    fs::create_dir_all(folder.join("a/b")).unwrap();
    fs::write(place.path().join("secret"), "").unwrap();
    symlink(place.path().join("secret"), folder.join("link")).unwrap();
    assert!(inside(&folder, "./a/b").is_ok() && inside(&folder, "a/../a").is_ok());
    for path in ["..", "../secret", "/etc", "a/../../secret", "link"] {
        assert_eq!(inside(&folder, path), Err(NotInside::Outside), "{path}");
    }
    assert_eq!(inside(&folder, "missing"), Err(NotInside::Missing));
}

#[test]
fn patterns_stand_for_files_of_the_plugin() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("ext/deep")).unwrap();
    for file in ["ext/a.ts", "ext/b.ts", "ext/c.js", "ext/.d.ts", "ext/deep/e.ts"] {
        fs::write(place.path().join(file), "").unwrap();
    }
    let expand = |written: &[&str]| {
        expand_patterns(place.path(), written.iter().map(|path| (*path).to_owned()).collect())
    };
    assert_eq!(expand(&["./ext/*.ts"]), ["./ext/a.ts", "./ext/b.ts"]);
    assert_eq!(expand(&["./ext/*.ts", "!ext/b.ts"]), ["./ext/a.ts"]);
    assert_eq!(expand(&["ext/c.js", "../*", "none/*.ts"]), ["ext/c.js"]);
    assert_eq!(expand(&["**/*.ts"]), ["**/*.ts"]);
}
