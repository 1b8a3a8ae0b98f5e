//! Changes bound to bytes: what is refused, what is made, what survives, what can be undone.

mod applying;
mod crashing;
mod forging;
mod redirecting;
mod refusing;
mod selecting;
mod undoing;

use std::{
    collections::BTreeMap,
    fs,
    ops::Deref,
    path::{Path, PathBuf},
};

use toolsmith_host::changes::{Applied, ChangeError, ChangeNote, ChangeSet, ChangeStore, Wanted};
use toolsmith_testkit::Project;
use toolsmith_tool::CancelToken;

/// A project, and a store beside it.
pub(crate) struct Place {
    project: Project,
    pub(crate) state: PathBuf,
    pub(crate) store: ChangeStore,
}

impl Deref for Place {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl Place {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Project::new(files);
        let state = project.beside("state");
        Self { store: ChangeStore::open(&state).unwrap(), project, state }
    }

    pub(crate) fn bind(&self, wanted: Vec<Wanted>) -> ChangeSet {
        ChangeSet::bind(&self.root, wanted).unwrap()
    }

    pub(crate) fn note(&self) -> ChangeNote {
        ChangeNote::new("test", "A change", &self.root)
    }

    pub(crate) fn apply(&self, set: &ChangeSet) -> Result<Applied, ChangeError> {
        self.store.apply(set, &self.note(), &CancelToken::new())
    }

    /// Everything in the project, so that nothing left behind is overlooked.
    pub(crate) fn tree(&self) -> BTreeMap<String, String> {
        tree(&self.root)
    }
}

pub(crate) fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let kind = fs::symlink_metadata(&path).unwrap();
            if kind.is_dir() {
                found.insert(format!("{name}/"), String::new());
                folders.push(path);
            } else if kind.is_symlink() {
                found.insert(name, format!("-> {}", fs::read_link(&path).unwrap().display()));
            } else {
                found.insert(name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned());
            }
        }
    }
    found
}
