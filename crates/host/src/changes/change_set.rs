//! A set of changes, bound to what the files are now.

use std::{
    collections::{HashMap, HashSet},
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use toolsmith_tool::{ContentHash, FileChange};

use super::{
    blobs::{content_hash, hash_file},
    check::{check_all, is_missing},
    diff::FilePreview,
    error::{ChangeError, DriftKind},
};
use crate::{
    location::{Location, lexical},
    spelling::{fold_path, is_same_place},
};

/// Content a change is computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Base {
    /// Whatever is there when the change is bound.
    #[default]
    Now,
    /// This content.
    Content(ContentHash),
    /// Nothing: the file must not exist.
    Absent,
}

/// A change somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wanted {
    /// Relative to the project, or absolute.
    pub path: PathBuf,
    /// The new content; `None` deletes the file.
    pub content: Option<Vec<u8>>,
    /// Content it was computed from.
    pub base: Base,
}

impl Wanted {
    /// Gives the file this content.
    pub fn write(path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: Some(content.into()), base: Base::Now }
    }

    /// Deletes the file.
    pub fn delete(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), content: None, base: Base::Now }
    }

    /// Says what it was computed from.
    #[must_use]
    pub fn base(mut self, base: Base) -> Self {
        self.base = base;
        self
    }
}

/// Changes of files, each once, each bound to the content it was computed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    files: Vec<FileChange>,
}

impl ChangeSet {
    /// Binds changes to the files as they are now. What would change nothing is left out.
    ///
    /// A symlink stays one: the file it leads to is changed. One that leads out of `root` is refused, unless the path
    /// itself was outside.
    ///
    /// # Errors
    /// When a file is not what its change was computed from, is named twice, or cannot be read.
    pub fn bind(root: &Path, wanted: Vec<Wanted>) -> Result<Self, ChangeError> {
        let root = std::path::absolute(root).map_err(ChangeError::io(root, "find it"))?;
        let real_root = crate::real_path(&root).map_err(ChangeError::io(&root, "find it"))?;
        let mut seen = HashMap::new();
        let mut files = Vec::with_capacity(wanted.len());
        for wanted in wanted {
            let path = root.join(&wanted.path);
            if path.file_name().is_none() {
                return Err(ChangeError::NoName { path });
            }
            let place = Location::resolve(&path).map_err(|error| match error.kind() {
                ErrorKind::IsADirectory => ChangeError::drift(&path, DriftKind::NotAFile),
                _ => ChangeError::io(&path, "find it")(error),
            })?;
            let target = place.real_path().to_path_buf();
            let asked = lexical(&path);
            let inside = asked.starts_with(&root) || asked.starts_with(&real_root);
            if inside && !target.starts_with(&real_root) {
                return Err(ChangeError::Escapes { path, root, target });
            }
            // Two spellings of one file count as the same.
            let spellings: &mut Vec<PathBuf> = seen.entry(fold_path(&target)).or_default();
            if spellings.iter().any(|spelling| is_same_place(spelling, &target)) {
                return Err(ChangeError::Twice { path });
            }
            spellings.push(target.clone());
            let base = current(&path, &place)?;
            let as_expected = match wanted.base {
                Base::Now => base.is_some() || wanted.content.is_some(),
                Base::Content(expected) => base == Some(expected),
                Base::Absent => base.is_none(),
            };
            if !as_expected {
                let kind = match (wanted.base, base) {
                    (Base::Absent, _) => DriftKind::Appeared,
                    (_, None) => DriftKind::Deleted,
                    _ => DriftKind::Changed,
                };
                return Err(ChangeError::drift(&path, kind));
            }
            if base != wanted.content.as_deref().map(content_hash) {
                files.push(FileChange { path, target, base, content: wanted.content, mode: None });
            }
        }
        Ok(Self { files })
    }

    /// Changes that were bound before.
    pub fn from_files(files: Vec<FileChange>) -> Self {
        Self { files }
    }

    /// The changes.
    pub fn files(&self) -> &[FileChange] {
        &self.files
    }

    /// The changes, to keep.
    pub fn into_files(self) -> Vec<FileChange> {
        self.files
    }

    /// Returns whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Some of the changes only.
    ///
    /// # Errors
    /// When a path is none of the set's files, neither as it was asked for nor as it really is.
    pub fn subset(&self, paths: &[PathBuf]) -> Result<Self, ChangeError> {
        let mut wanted = HashSet::new();
        for path in paths {
            let found = self
                .files
                .iter()
                .position(|file| file.path == *path || file.target == *path)
                .ok_or_else(|| ChangeError::NotIncluded { path: path.clone() })?;
            wanted.insert(found);
        }
        let files = self.files.iter().enumerate().filter(|(at, _)| wanted.contains(at));
        Ok(Self { files: files.map(|(_, file)| file.clone()).collect() })
    }

    /// Checks that every file still has the content its change was computed from.
    ///
    /// # Errors
    /// [`ChangeError::Drifted`] with all that do not.
    pub fn check(&self) -> Result<(), ChangeError> {
        check_all(&self.files).map(|_| ())
    }

    /// Returns the exact differences, file by file. Their headers name files relative to `root`.
    ///
    /// # Errors
    /// Fails if a file is not what its change was computed from: then there is no exact difference any more.
    pub fn preview_in(&self, root: &Path) -> Result<Vec<FilePreview>, ChangeError> {
        self.preview_from(Some(root))
    }

    /// Returns the exact differences, file by file. Their headers name files as the changes do.
    ///
    /// # Errors
    /// As [`ChangeSet::preview_in`].
    pub fn preview(&self) -> Result<Vec<FilePreview>, ChangeError> {
        self.preview_from(None)
    }

    fn preview_from(&self, root: Option<&Path>) -> Result<Vec<FilePreview>, ChangeError> {
        let previews = self.previews(root)?;
        Ok(self.with_renames(previews))
    }

    /// Marks a new file with the content of a deleted one as renamed.
    fn with_renames(&self, mut previews: Vec<FilePreview>) -> Vec<FilePreview> {
        let mut deleted: Vec<usize> =
            (0..self.files.len()).filter(|at| self.files[*at].content.is_none()).collect();
        for (at, file) in self.files.iter().enumerate() {
            let Some(content) = file.content.as_deref().filter(|_| file.base.is_none()) else { continue };
            let hash = (!deleted.is_empty()).then(|| content_hash(content));
            let Some(found) = deleted.iter().position(|from| self.files[*from].base == hash) else {
                continue;
            };
            let from = deleted.remove(found);
            previews[at].renamed_from = Some(self.files[from].path.clone());
            previews[from].renamed_to = Some(file.path.clone());
        }
        previews
    }

    fn previews(&self, root: Option<&Path>) -> Result<Vec<FilePreview>, ChangeError> {
        self.files
            .iter()
            .map(|file| {
                let before = match file.base {
                    Some(_) => Some(read(&file.target).map_err(|error| match is_missing(&error) {
                        true => ChangeError::drift(&file.path, DriftKind::Deleted),
                        false => ChangeError::io(&file.target, "read")(error),
                    })?),
                    None => None,
                };
                if before.as_deref().map(content_hash) != file.base {
                    return Err(ChangeError::drift(&file.path, DriftKind::Changed));
                }
                Ok(FilePreview::new(&file.path, root, before.as_deref(), file.content.as_deref()))
            })
            .collect()
    }
}

fn current(path: &Path, place: &Location) -> Result<Option<ContentHash>, ChangeError> {
    let failed = || ChangeError::io(place.real_path(), "read");
    match place.metadata().map_err(failed())? {
        Some(found) if found.is_file() => {
            place.open().and_then(hash_file).map(Some).map_err(ChangeError::io(place.real_path(), "read"))
        }
        Some(_) => Err(ChangeError::drift(path, DriftKind::NotAFile)),
        None => Ok(None),
    }
}

/// The content of the file at a path without links.
pub(super) fn read(target: &Path) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    Location::at_real_path(target)?.open()?.read_to_end(&mut content)?;
    Ok(content)
}
