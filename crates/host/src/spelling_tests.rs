//! Spellings. A hard link has the same file at two names, as a file system that ignores case has.

#[cfg(unix)]
use toolsmith_testkit::Project;

use super::*;

#[test]
fn names_that_a_file_system_takes_for_the_same_fold_to_one() {
    for (one, other) in [
        ("README.md", "readme.MD"),
        ("M\u{fc}ller", "mu\u{308}LLER"),
        (".git", ".g\u{200c}it"),
        ("CON. ", "con"),
        ("\u{212a}elvin", "kelvin"),
        ("\u{1e69}", "s\u{307}\u{323}"),
    ] {
        assert_eq!(fold(one), fold(other), "{one} {other}");
    }
    assert_ne!(fold("a b"), fold("ab"));
    assert_ne!(fold("muller"), fold("m\u{fc}ller"));
    // It is not the directory that it is in.
    assert_eq!(fold_path(Path::new("/a/...")), Path::new("/a/..."));
}

#[cfg(unix)]
#[test]
fn a_plain_path_folds_as_its_components_do() {
    for path in [
        "/a/B/c.ts",
        "a/b",
        "/",
        "",
        "/a//b",
        "/a/",
        "/a/./b",
        "/a/../b",
        "/a/b.",
        "/a/b /c",
        "/.Git/x-Y_z",
        "./a",
        "/a/\u{c4}",
    ] {
        let parts: PathBuf = fold_components(Path::new(path)).iter().collect();
        assert_eq!(fold_path(Path::new(path)).as_os_str(), parts.as_os_str(), "{path}");
    }
}

/// File systems of Windows do not tell the two directories apart.
#[cfg(unix)]
#[test]
fn c2_8_two_spellings_are_one_place_only_if_they_are_one_file() {
    let project = Project::new(&[("Proj/tool.ts", "one"), ("proj/tool.ts", "other"), ("links/x", "")]);
    let path = |name: &str| project.path(name).canonicalize().unwrap();
    assert!(
        !is_same_place(&path("Proj"), &path("proj")),
        "two directories on a file system that tells them apart"
    );
    assert!(!is_same_place(&path("Proj/tool.ts"), &path("proj/tool.ts")));
    fs::hard_link(path("Proj/tool.ts"), project.path("Proj/TOOL.ts")).unwrap();
    assert!(is_same_place(&path("Proj/tool.ts"), &path("Proj/TOOL.ts")));
    fs::hard_link(path("Proj/tool.ts"), project.path("proj/TOOL.ts")).unwrap();
    assert!(
        !is_same_place(&path("Proj/tool.ts"), &path("proj/TOOL.ts")),
        "imports differ in another directory"
    );
    fs::hard_link(path("Proj/tool.ts"), project.path("Proj/other.ts")).unwrap();
    assert!(!is_same_place(&path("Proj/tool.ts"), &path("Proj/other.ts")), "another name is another place");
    assert!(!is_same_place(&project.path("Proj/missing.ts"), &project.path("Proj/MISSING.ts")));
}

#[cfg(unix)]
#[test]
fn c2_8_a_link_in_the_place_of_a_stored_path_is_not_that_place() {
    let project = Project::new(&[("a/tool.ts", "")]);
    let root = project.path("").canonicalize().unwrap();
    std::os::unix::fs::symlink(root.join("a"), root.join("A")).unwrap();
    assert!(!is_same_place(&root.join("A"), &root.join("a")));
    assert!(!is_same_place(&root.join("A/tool.ts"), &root.join("a/tool.ts")));
}
