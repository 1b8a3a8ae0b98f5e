//! [`Project`]: a temporary project of real files, and a home beside it for tests that need one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// A temporary project. It is removed when it is dropped.
#[derive(Debug)]
pub struct Project {
    folder: TempDir,
    /// The folder that names start from, with links resolved.
    pub root: PathBuf,
}

impl Project {
    /// Creates a project of these files: names and texts. Everything else in its temporary folder is reached with
    /// [`beside`](Self::beside).
    pub fn new(files: &[(&str, &str)]) -> Self {
        let project = Self::in_folder("project");
        fs::create_dir(&project.root).unwrap();
        project.with_files(files)
    }

    /// Creates a folder with a `project` and a `home`. Names of files start with one of them.
    pub fn with_home(files: &[(&str, &str)]) -> Self {
        let place = Self::in_folder("");
        for name in ["home", "project"] {
            place.create_folder(name);
        }
        place.with_files(files)
    }

    fn in_folder(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let root = if name.is_empty() { top } else { top.join(name) };
        Self { folder, root }
    }

    fn with_files(self, files: &[(&str, &str)]) -> Self {
        for (name, text) in files {
            self.write(name, text);
        }
        self
    }

    /// Returns the path of a file, whether or not it exists.
    pub fn path(&self, name: &(impl AsRef<Path> + ?Sized)) -> PathBuf {
        self.root.join(name)
    }

    /// Returns the path of something next to the project, whether or not it exists.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Writes a file, and makes its folders.
    pub fn write(&self, name: &(impl AsRef<Path> + ?Sized), content: &(impl AsRef<[u8]> + ?Sized)) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Writes a script that can be executed.
    #[cfg(unix)]
    pub fn write_program(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(name, script);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Creates a folder and those above it; returns its path.
    pub fn create_folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Returns the text of a file that must exist.
    pub fn read(&self, name: &(impl AsRef<Path> + ?Sized)) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}
