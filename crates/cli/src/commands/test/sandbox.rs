//! The temporary directory of a case.

use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

/// The directory of a case.
pub(super) struct Sandbox {
    /// Removed on drop.
    _folder: TempDir,
    root: PathBuf,
    before: BTreeMap<String, String>,
}

impl Sandbox {
    /// Creates the directory with these files.
    pub(super) fn new(files: &BTreeMap<String, String>) -> Result<Self> {
        let folder = toolsmith_host::private_temporary_folder("toolsmith-case-")?;
        let root = toolsmith_host::real_path(folder.path())?;
        for (name, text) in files {
            let stays = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
            if name.is_empty() || !stays {
                bail!("file \"{name}\" must be a path below the case's directory");
            }
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&root))
                .and_then(|()| fs::write(&path, text))
                .with_context(|| format!("file \"{name}\" could not be written"))?;
        }
        Ok(Self { _folder: folder, root, before: files.clone() })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns created or changed files with their text, and removed ones without.
    pub(super) fn changes(&self) -> BTreeMap<String, Option<String>> {
        let mut after = BTreeMap::new();
        read_below(&self.root, &self.root, &mut after);
        let gone = self.before.keys().filter(|name| !after.contains_key(*name));
        let mut changes: BTreeMap<String, Option<String>> = gone.map(|name| (name.clone(), None)).collect();
        let changed = after.into_iter().filter(|(name, text)| self.before.get(name) != Some(text));
        changes.extend(changed.map(|(name, text)| (name, Some(text))));
        changes
    }
}

fn read_below(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if kind.is_dir() {
            // A repository created by the tool is ignored.
            if entry.file_name() != ".git" {
                read_below(root, &path, files);
            }
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap_or_default();
            files.insert(name, format!("(a link to {})", target.display()));
        } else if kind.is_file() {
            let text = match fs::read(&path).map(String::from_utf8) {
                Ok(Ok(text)) => text,
                Ok(Err(bytes)) => format!("({} bytes, not text)", bytes.as_bytes().len()),
                Err(error) => format!("(cannot be read: {error})"),
            };
            files.insert(name, text);
        }
    }
}
