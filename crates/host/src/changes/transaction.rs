//! Making the changes of a plan, all or none.
//!
//! New contents are written beside their files first, so that a full disk is met before anything has changed. Then each is
//! *exchanged* with its file in one step of the file system. That keeps the old file, whatever it had become in the
//! last moment: it is compared again after the exchange, and exchanged back if somebody wrote to it meanwhile.

use std::{
    collections::BTreeSet,
    fs::Metadata,
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use toolsmith_tool::{CancelToken, ContentHash, FileChange};

use super::{
    blobs::hash_file,
    check::is_missing,
    error::{ChangeError, DriftKind},
    record::{ChangedFile, Plan, Step},
};
use crate::{
    location::{Beside, Location},
    system::files,
};

/// Writes the new contents beside their files. Nothing is changed yet.
pub(super) fn stage(
    plan: &Plan,
    changes: &[FileChange],
    found: &[Option<Metadata>],
    cancel: &CancelToken,
) -> Result<(), ChangeError> {
    for ((step, change), found) in plan.steps.iter().zip(changes).zip(found) {
        if cancel.is_cancelled() {
            return Err(ChangeError::Cancelled);
        }
        if let Some(content) = &change.content {
            // Without links: what was a folder at the check and is a link now is not followed.
            let mut place = Location::at_real_path(&change.target)
                .map_err(ChangeError::io(&change.path, "find its folder"))?;
            place.make_folders().map_err(ChangeError::io(&change.path, "make its folder"))?;
            beside(&place, &step.fresh)
                .and_then(|fresh| write_fresh(&place, &fresh, content, change, found.as_ref()))
                .map_err(ChangeError::io(&change.path, "write the new content beside it"))?;
        }
    }
    Ok(())
}

fn write_fresh(
    place: &Location,
    fresh: &Beside<'_>,
    content: &[u8],
    change: &FileChange,
    found: Option<&Metadata>,
) -> io::Result<()> {
    // A new file gets what the user's mask leaves; anything else is closed until it has its own mode.
    let is_plain = found.is_none() && change.mode.is_none();
    let mut file = fresh.create(if is_plain { 0o666 } else { 0o600 })?;
    file.write_all(content)?;
    if is_plain {
        return file.sync_all();
    }
    match (found, change.mode) {
        (Some(found), _) => files::take_over(&file, || place.open(), found)?,
        (None, Some(mode)) => files::set_mode(&file, mode)?,
        (None, None) => {}
    }
    file.sync_all()
}

/// Puts the new contents in place. After an error the caller restores the plan.
pub(super) fn swap_all(plan: &Plan, exchange: bool) -> Result<(), ChangeError> {
    for (file, step) in plan.files() {
        swap(file, step, exchange)?;
    }
    let mut synced: BTreeSet<&Path> = BTreeSet::new();
    for file in &plan.entry.files {
        if file.target.parent().is_some_and(|folder| synced.insert(folder)) {
            Location::at_real_path(&file.target)
                .and_then(|place| place.sync_folder())
                .map_err(ChangeError::io(&file.target, "make the change durable"))?;
        }
    }
    Ok(())
}

/// A name of the plan in the file's own folder, wherever the plan says it is.
fn beside<'a>(place: &'a Location, path: &Path) -> io::Result<Beside<'a>> {
    place.beside(path.file_name().ok_or(ErrorKind::InvalidInput)?)
}

fn swap(file: &ChangedFile, step: &Step, exchange: bool) -> Result<(), ChangeError> {
    let failed = ChangeError::io(&file.target, "replace it");
    let drift = |kind| Err(ChangeError::drift(&file.path, kind));
    let place = Location::at_real_path(&file.target).map_err(vanished(file))?;
    let target = place.own().map_err(vanished(file))?;
    let fresh = beside(&place, &step.fresh).map_err(vanished(file))?;
    let old = beside(&place, &step.old).map_err(vanished(file))?;
    let Some(before) = file.before else {
        return match fresh.rename_to_free(&target) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => drift(DriftKind::Appeared),
            done => done.map_err(failed),
        };
    };
    let original = if file.after.is_none() {
        target.rename(&old).map(|()| &old)
    } else if exchange && fresh.exchange(&target).map_err(vanished(file))? {
        Ok(&fresh)
    } else {
        target.rename(&old).and_then(|()| fresh.rename_to_free(&target)).map(|()| &old)
    };
    let original = original.map_err(vanished(file))?;
    if is_this(original, before).map_err(failed)? { Ok(()) } else { drift(DriftKind::Changed) }
}

fn vanished(file: &ChangedFile) -> impl FnOnce(io::Error) -> ChangeError {
    |error| match is_missing(&error) {
        true => ChangeError::drift(&file.path, DriftKind::Deleted),
        false => ChangeError::io(&file.target, "replace it")(error),
    }
}

/// Returns whether there is a regular file with this content.
fn is_this(file: &Beside<'_>, hash: ContentHash) -> io::Result<bool> {
    match file.metadata()? {
        Some(found) => Ok(found.is_file() && hash_file(file.open()?)? == hash),
        None => Ok(false),
    }
}

/// Files that could not be restored.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    /// A line for each file.
    pub(super) lines: Vec<String>,
    /// The system refused; it may not the next time.
    pub(super) try_again: bool,
}

/// Puts everything back as it was before the plan, from whatever state it is in. Doing it twice does no harm.
///
/// `staged` says whether all new contents had been written: before that no file was touched.
pub(super) fn restore(plan: &Plan, staged: bool) -> Leftovers {
    let mut left = Leftovers::default();
    for (file, step) in plan.files().rev() {
        let restored =
            if staged { restore_file(file, step) } else { remove(file, &step.fresh).map(|()| None) };
        // A folder that was to be made and never was.
        let restored = restored.or_else(|error| if is_missing(&error) { Ok(None) } else { Err(error) });
        match restored {
            Ok(None) => {}
            Ok(Some(kept)) => left.lines.push(format!(
                "{} (somebody wrote to it meanwhile; what it was before is in {})",
                file.path.display(),
                kept.display()
            )),
            Err(error) => {
                left.try_again = true;
                left.lines.push(format!("{} ({error})", file.path.display()));
            }
        }
    }
    remove_made_folders(&plan.entry.made_folders);
    left
}

/// Removes a name of the plan in the file's own folder.
fn remove(file: &ChangedFile, name: &Path) -> io::Result<()> {
    let place = Location::at_real_path(&file.target)?;
    let named = beside(&place, name)?;
    named.remove()
}

/// Puts one file back. Gives the place of the original where somebody else's content is in its way.
fn restore_file(file: &ChangedFile, step: &Step) -> io::Result<Option<PathBuf>> {
    let place = Location::at_real_path(&file.target)?;
    let (target, fresh, old) = (place.own()?, beside(&place, &step.fresh)?, beside(&place, &step.old)?);
    let new_is_in_place = || match file.after {
        Some(after) => is_this(&target, after),
        None => Ok(false),
    };
    if old.metadata()?.is_some() {
        if new_is_in_place()? {
            old.rename(&target)?;
        } else if old.rename_to_free(&target).is_err() {
            return Ok(Some(step.old.clone()));
        }
        return fresh.remove().map(|()| None);
    }
    if fresh.metadata()?.is_some() {
        // It holds the new content as long as nothing was exchanged.
        let exchanged = match file.after {
            Some(after) => !is_this(&fresh, after)?,
            None => false,
        };
        if exchanged {
            if !new_is_in_place()? {
                return Ok(Some(step.fresh.clone()));
            }
            fresh.exchange(&target)?;
        }
        return fresh.remove().map(|()| None);
    }
    if file.before.is_none() && new_is_in_place()? {
        target.remove()?;
    }
    Ok(None)
}

/// Removes what a plan that was carried out left behind: the old files.
pub(super) fn clear_up(plan: &Plan) -> io::Result<()> {
    plan.files().try_for_each(|(file, step)| {
        [&step.fresh, &step.old].into_iter().try_for_each(|name| match remove(file, name) {
            Err(error) if is_missing(&error) => Ok(()),
            done => done,
        })
    })
}

/// Folders that something is in stay.
pub(super) fn remove_made_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = Location::at_real_path(folder).and_then(|place| place.remove_folder());
    }
}

/// Which folders have to be made for these files, outermost first.
pub(super) fn missing_folders(changes: &[FileChange]) -> Vec<PathBuf> {
    let written = changes.iter().filter(|change| change.content.is_some());
    let missing: BTreeSet<PathBuf> = written
        .filter_map(|change| Location::at_real_path(&change.target).ok())
        .flat_map(|place| place.missing_folders())
        .collect();
    // A folder sorts before what is in it.
    missing.into_iter().collect()
}

#[cfg(test)]
#[path = "transaction_tests.rs"]
mod tests;
