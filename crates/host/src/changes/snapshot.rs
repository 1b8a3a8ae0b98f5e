//! Changes that somebody else made: what was before is looked at first and written down afterwards.

use std::{
    fs::Metadata,
    io::Read,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use toolsmith_tool::ContentHash;

use super::{
    blobs::{Blobs, content_hash, hash_file},
    check::is_missing,
    error::ChangeError,
    record::{ChangedFile, Entry},
    store::{Applied, ChangeNote, ChangeStore, mode, new_id, real},
};
use crate::location::Location;

/// Contents of files at one moment.
#[derive(Debug)]
pub struct Snapshot {
    pub(super) files: Vec<Before>,
    /// More folders that have to be made.
    pub(super) made_folders: Vec<PathBuf>,
}

pub(super) struct Before {
    pub(super) path: PathBuf,
    pub(super) target: PathBuf,
    hash: Option<ContentHash>,
    /// Absent when it is too large to keep.
    pub(super) content: Option<Vec<u8>>,
    mode: Option<u32>,
    /// Folders that have to be made before the file can be.
    made_folders: Vec<PathBuf>,
}

impl std::fmt::Debug for Before {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Before").field("path", &self.path).field("hash", &self.hash).finish_non_exhaustive()
    }
}

impl ChangeStore {
    /// Records files before another party changes them, for [`ChangeStore::record`].
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn snapshot(&self, paths: &[PathBuf]) -> Result<Snapshot, ChangeError> {
        paths
            .iter()
            .map(|path| self.snapshot_one(path))
            .collect::<Result<_, _>>()
            .map(|files| Snapshot { files, made_folders: Vec::new() })
    }

    pub(super) fn snapshot_one(&self, path: &Path) -> Result<Before, ChangeError> {
        let failed = || ChangeError::io(path, "read");
        let path = std::path::absolute(path).map_err(failed())?;
        let place = Location::resolve(&path).map_err(ChangeError::io(&path, "find it"))?;
        self.snapshot_at(&path, &place)
    }

    /// Records the file at a location before another party changes it.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    pub fn snapshot_of(&self, path: &Path, place: &Location) -> Result<Snapshot, ChangeError> {
        let path = std::path::absolute(path).map_err(ChangeError::io(path, "read"))?;
        Ok(Snapshot { files: vec![self.snapshot_at(&path, place)?], made_folders: Vec::new() })
    }

    fn snapshot_at(&self, path: &Path, place: &Location) -> Result<Before, ChangeError> {
        let failed = || ChangeError::io(path, "read");
        let (path, target) = (path.to_path_buf(), place.real_path().to_path_buf());
        let found = place.metadata().map_err(failed())?.filter(Metadata::is_file);
        let (mut hash, mut content) = (None, None);
        if let Some(found) = &found {
            let mut file = place.open().map_err(failed())?;
            if found.len() <= self.limits.file_bytes {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).map_err(failed())?;
                hash = Some(content_hash(&bytes));
                content = Some(bytes);
            } else {
                hash = Some(hash_file(file).map_err(failed())?);
            }
        }
        let mode = found.as_ref().map(mode);
        let made_folders = place.missing_folders();
        Ok(Before { path, target, hash, content, mode, made_folders })
    }

    /// Writes down a change that somebody else made since the snapshot, so that it can be undone. `None` when nothing
    /// changed.
    ///
    /// # Errors
    /// When the store cannot be written. The change itself is not touched.
    pub fn record(&self, before: Snapshot, note: &ChangeNote) -> Result<Option<Applied>, ChangeError> {
        let _lock = self.lock()?;
        self.recover_locked()?;
        let blobs = Blobs::new(&self.folder);
        let (mut files, mut made_folders) = (Vec::new(), before.made_folders);
        for file in before.files {
            let after = match Location::at_real_path(&file.target) {
                // A folder or a link stands there. That is nothing to undo; but where a file was, undoing will find it in
                // the way.
                Ok(place) if !is_file(&place) => None,
                place => match place.and_then(|place| place.open()).and_then(hash_file) {
                    Ok(after) => Some(after),
                    Err(error) if is_missing(&error) => None,
                    Err(error) => return Err(ChangeError::io(&file.path, "read")(error)),
                },
            };
            if after == file.hash {
                continue;
            }
            // It may have changed between the two looks at it; then it is not kept, and undoing says so.
            if let (Some(hash), Some(content)) = (file.hash, &file.content)
                && content_hash(content) == hash
            {
                blobs
                    .put(hash, content)
                    .map_err(ChangeError::io(&self.folder, "keep the content for undoing"))?;
            }
            made_folders.extend(file.made_folders);
            files.push(ChangedFile {
                path: file.path,
                target: file.target,
                before: file.hash,
                after,
                mode: file.mode,
            });
        }
        if files.is_empty() {
            return Ok(None);
        }
        made_folders.sort();
        made_folders.dedup();
        let entry = Entry {
            id: new_id(),
            time: Timestamp::now().to_string(),
            tool: note.tool.clone(),
            label: note.label.clone(),
            root: real(&note.root),
            undoes: None,
            files,
            made_folders,
        };
        self.write_entry(&entry)?;
        self.prune()?;
        Ok(Some(Applied { files: entry.files.into_iter().map(|file| file.path).collect(), id: entry.id }))
    }
}

fn is_file(place: &Location) -> bool {
    place.metadata().ok().flatten().is_some_and(|found| found.is_file())
}
