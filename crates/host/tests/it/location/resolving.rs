//! The resolver against the kernel.

use std::{
    fs::{self, File},
    io::ErrorKind,
    os::{fd::AsRawFd, unix::fs::symlink},
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use toolsmith_host::location::Location;

/// One thing of a random tree.
#[derive(Clone, Debug)]
enum Node {
    Folder(String),
    File(String),
    Link(String, String),
}

/// Few names, so that paths meet what is there.
fn name() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("a"), Just("b"), Just("c"), Just("x")]
}

fn relative(components: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let part = prop_oneof![6 => name(), 2 => Just(".."), 1 => Just(".")];
    prop::collection::vec(part, components).prop_map(|parts| parts.join("/"))
}

fn place() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..4).prop_map(|parts| parts.join("/"))
}

fn node() -> impl Strategy<Value = Node> {
    prop_oneof![
        place().prop_map(Node::Folder),
        place().prop_map(Node::File),
        (place(), relative(1..5), any::<bool>()).prop_map(|(at, to, absolute)| {
            Node::Link(at, if absolute { format!("ROOT/{to}") } else { to })
        }),
    ]
}

/// Builds what can be built; what is in the way of something else stays.
fn build(root: &Path, nodes: &[Node]) {
    for node in nodes {
        let (Node::Folder(at) | Node::File(at) | Node::Link(at, _)) = node;
        let path = root.join(at);
        if let Some(parent) = path.parent() {
            let _ = fs::create_dir_all(parent);
        }
        let _ = match node {
            Node::Folder(_) => fs::create_dir(&path),
            Node::File(_) => File::create_new(&path).map(|_| ()),
            Node::Link(_, to) => symlink(to.replace("ROOT", root.to_str().unwrap()), &path),
        };
    }
}

/// Where the kernel creates or opens the file.
fn kernel(path: &Path) -> std::io::Result<PathBuf> {
    let file = File::options().write(true).create(true).truncate(false).open(path)?;
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn c5_7_a_path_leads_where_the_kernel_creates_the_file(
        nodes in prop::collection::vec(node(), 0..14),
        path in relative(1..7),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("1/2/3/4/5/6/7/8");
        fs::create_dir_all(&root).unwrap();
        build(&root, &nodes);
        let path = root.join(path);
        match Location::resolve(&path) {
            Ok(mut place) => {
                let real = place.real_path().to_path_buf();
                let again = Location::at_real_path(&real).unwrap();
                prop_assert_eq!(again.real_path(), &real);
                if place.metadata().unwrap().is_some_and(|found| found.is_dir()) {
                    prop_assert_eq!(kernel(&path).unwrap_err().kind(), ErrorKind::IsADirectory);
                    prop_assert_eq!(fs::canonicalize(&path).unwrap(), real);
                    return Ok(());
                }
                // The kernel makes no folders; with those it agrees.
                if let Ok(there) = kernel(&path) {
                    prop_assert_eq!(&there, &real);
                }
                place.make_folders().unwrap();
                prop_assert_eq!(kernel(&path).unwrap(), real);
            }
            Err(error) => {
                let theirs = kernel(&path);
                prop_assert!(theirs.is_err(), "{:?} refused with {}, but it is {:?}", path, error, theirs);
            }
        }
    }
}

fn tree() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    (folder, root)
}

#[test]
fn c5_7_a_dangling_link_leads_to_what_it_would_create() {
    let (_folder, root) = tree();
    fs::create_dir_all(root.join("project")).unwrap();
    fs::create_dir_all(root.join("home")).unwrap();
    symlink("../home/.toolsmith/config.toml", root.join("project/notes.md")).unwrap();
    symlink("notes.md", root.join("project/second")).unwrap();
    for name in ["notes.md", "second", "./nothing/../second"] {
        let found = Location::resolve(&root.join("project").join(name));
        match name {
            // A `..` behind what is not there is not removed from the text.
            "./nothing/../second" => assert_eq!(found.unwrap_err().kind(), ErrorKind::NotFound),
            _ => assert_eq!(found.unwrap().real_path(), root.join("home/.toolsmith/config.toml")),
        }
    }
}

#[test]
fn c5_7_links_behind_missing_folders_are_never_taken_for_text() {
    let (_folder, root) = tree();
    fs::create_dir_all(root.join("outside")).unwrap();
    symlink(root.join("outside"), root.join("link")).unwrap();
    for path in ["nope/../link/.bashrc", "nope/a/../../link/x", "nope/./../link/x"] {
        let error = Location::resolve(&root.join(path)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{path}");
    }
    let found = Location::resolve(&root.join("link/../link/nope/x")).unwrap();
    assert_eq!(found.real_path(), root.join("outside/nope/x"));
}

#[test]
fn c5_7_links_of_proc_to_open_files_are_refused() {
    let (_folder, root) = tree();
    let secret = root.join("secret");
    fs::write(&secret, "").unwrap();
    let file = File::options().write(true).open(&secret).unwrap();
    let fd = file.as_raw_fd();
    symlink(format!("/proc/self/fd/{fd}"), root.join("link")).unwrap();
    let paths = [
        PathBuf::from(format!("/proc/self/fd/{fd}")),
        PathBuf::from(format!("/dev/fd/{fd}")),
        PathBuf::from("/proc/self/root/etc/x"),
        PathBuf::from("/proc/thread-self/cwd/x"),
        PathBuf::from(format!("/proc/{}/cwd/x", std::process::id())),
        root.join("link"),
    ];
    for path in paths {
        let error = Location::resolve(&path).unwrap_err();
        assert!(error.to_string().contains("/proc"), "{}: {error}", path.display());
    }
    let plain = Location::resolve(Path::new("/proc/self/comm")).unwrap();
    assert_eq!(plain.real_path(), Path::new(&format!("/proc/{}/comm", std::process::id())));
}

#[test]
fn too_many_links_and_loops_are_refused() {
    let (_folder, root) = tree();
    fs::write(root.join("0"), "").unwrap();
    for at in 1..=41 {
        symlink((at - 1).to_string(), root.join(at.to_string())).unwrap();
    }
    assert_eq!(Location::resolve(&root.join("40")).unwrap().real_path(), root.join("0"));
    assert!(kernel(&root.join("40")).is_ok() && kernel(&root.join("41")).is_err());
    Location::resolve(&root.join("41")).unwrap_err();
    symlink("loop", root.join("loop")).unwrap();
    Location::resolve(&root.join("loop")).unwrap_err();
    Location::resolve(&root.join("loop/x")).unwrap_err();
}

#[test]
fn a_real_path_is_taken_as_it_is() {
    let (_folder, root) = tree();
    fs::create_dir_all(root.join("sub/deep")).unwrap();
    symlink("sub", root.join("link")).unwrap();
    Location::at_real_path(&root.join("link/x")).unwrap_err();
    let own = Location::at_real_path(&root.join("link")).unwrap();
    assert!(own.metadata().unwrap().unwrap().is_symlink());
    assert_eq!(Location::at_real_path(&root.join("sub/new/x")).unwrap().real_path(), root.join("sub/new/x"));
}
