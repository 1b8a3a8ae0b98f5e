//! Applying a change in part: chosen files, and chosen hunks of a file.

use toolsmith_tool::{FileChange, FileSelection, HunkRange};

use super::{
    blobs::content_hash,
    change_set::{ChangeSet, read},
    check::is_missing,
    diff::lines,
    error::{ChangeError, DriftKind},
};

impl ChangeSet {
    /// Returns the set with only the selected files and hunks. A file of which no hunk is selected is left out.
    ///
    /// # Errors
    /// Fails if a path is not one of the set's files, a file is not what its change was computed from, or hunks are selected
    /// that the change does not have.
    pub fn select(&self, selection: &[FileSelection]) -> Result<Self, ChangeError> {
        let paths: Vec<_> = selection.iter().map(|selected| selected.path.clone()).collect();
        let chosen = self.subset(&paths)?;
        let mut files = Vec::new();
        for file in chosen.into_files() {
            let is_this =
                |selected: &&FileSelection| selected.path == file.path || selected.path == file.target;
            match selection.iter().find(is_this).and_then(|selected| selected.hunks.as_ref()) {
                Some(hunks) if hunks.is_empty() => {}
                Some(hunks) => files.push(partial(file, hunks)?),
                None => files.push(file),
            }
        }
        Ok(Self::from_files(files))
    }
}

/// Returns the change with only some of its hunks.
fn partial(mut file: FileChange, hunks: &[HunkRange]) -> Result<FileChange, ChangeError> {
    let unknown = || ChangeError::UnknownHunk { path: file.path.clone() };
    let (Some(_), Some(after)) = (file.base, &file.content) else {
        // A new or deleted file is one change.
        return Err(unknown());
    };
    let before = read(&file.target).map_err(|error| match is_missing(&error) {
        true => ChangeError::drift(&file.path, DriftKind::Deleted),
        false => ChangeError::io(&file.target, "read")(error),
    })?;
    if Some(content_hash(&before)) != file.base {
        return Err(ChangeError::drift(&file.path, DriftKind::Changed));
    }
    let (old, new) = (lines(&before), lines(after));
    let mut hunks: Vec<&HunkRange> = hunks.iter().collect();
    hunks.sort_by_key(|hunk| hunk.old.start);
    let mut content = Vec::with_capacity(before.len().max(after.len()));
    let mut at = 0;
    for hunk in hunks {
        let kept = old.get(at..hunk.old.start).ok_or_else(unknown)?;
        let replaced = old.get(hunk.old.clone()).ok_or_else(unknown)?;
        let inserted = new.get(hunk.new.clone()).ok_or_else(unknown)?;
        if replaced == inserted {
            return Err(unknown());
        }
        kept.iter().chain(inserted).for_each(|line| content.extend_from_slice(line));
        at = hunk.old.end;
    }
    old.get(at..).unwrap_or_default().iter().for_each(|line| content.extend_from_slice(line));
    file.content = Some(content);
    Ok(file)
}
