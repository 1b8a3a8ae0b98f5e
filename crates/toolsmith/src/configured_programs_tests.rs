//! Directories of programs inside the project.

use std::{fs, sync::Arc};

use toolsmith_host::location::{Verdict, WriteRules};

use super::*;

#[test]
fn c5_7_directories_of_the_search_path_in_the_project_are_exec() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = toolsmith_host::real_path(folder.path()).unwrap().join("project");
    fs::create_dir_all(cwd.join("bin")).unwrap();
    let linked = cwd.with_file_name("linked");
    #[cfg(unix)]
    std::os::unix::fs::symlink(cwd.join("tools/programs"), &linked).unwrap();
    let protected = Arc::new(Protected::default());
    let entries =
        [cwd.join("bin"), "run".into(), linked, cwd.clone(), ".".into(), "".into(), "/usr/bin".into()];
    protect_search_path(&protected, entries.into_iter(), &cwd);
    let rules = WriteRules::new(&cwd).protected(protected);
    let is_exec = |file: &str| matches!(rules.judge(&cwd.join(file), &cwd.join(file)), Verdict::Exec { .. });
    for (file, expected) in [
        ("bin/server", true),
        ("run/deep/x", true),
        #[cfg(unix)]
        ("tools/programs/x", true),
        ("src/main.rs", false),
        ("server", false),
    ] {
        assert_eq!(is_exec(file), expected, "{file}");
    }
}
