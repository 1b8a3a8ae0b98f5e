//! Commands whose directory is not known.

use super::*;

#[test]
fn relative_names_are_endings_and_others_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let named =
        named_anywhere("sh ../lib/./x.sh /opt/y.sh ~/z.sh", folder.path(), Some(Path::new("/users/me")));
    let has = |paths: &Named, path: &str| paths.contains(Path::new(path));
    assert!(has(&named.endings, "lib/x.sh"), "{named:?}");
    assert!(has(&named.known, "/opt/y.sh") && has(&named.known, "/users/me/z.sh"), "{named:?}");
    assert!(named.endings.iter().all(|ending| ending.is_relative() && !ending.as_os_str().is_empty()));
    assert!(named.known.iter().all(|path| path.has_root()), "{named:?}");
}

#[test]
fn what_a_runtime_starts_in_an_unknown_directory_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(root.join("a/b/package.json"), r#"{"main":"dist/i"}"#).unwrap();
    let has = |command: &str, path: &str| {
        let named = named_anywhere(command, root, None);
        named.endings.contains(Path::new(path)) || named.known.contains(&root.join(path))
    };
    for (command, path) in [
        ("node .", "package.json"),
        ("node ./", "index.js"),
        ("node .", "a/b/dist/i.js"),
        ("node b", "a/b/dist/i/index.js"),
        ("node b", "b/package.json"),
        ("cd b && node .", "a/b/dist/i"),
        ("python3 -m pkg.x", "pkg/__init__.py"),
        ("python3 srv", "srv/__main__.py"),
        ("cd sub && sh y", "sub/y"),
    ] {
        assert!(has(command, path), "{command}: {path}: {:?}", named_anywhere(command, root, None));
    }
    assert!(!has("sh x.sh", "package.json"));
}
