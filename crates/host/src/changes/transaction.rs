//! Making the changes of a plan, all or none.
//!
//! New contents are written beside their files first, so that a full disk is met before anything has changed. Then each is
//! *exchanged* with its file in one step of the file system. That keeps the old file, whatever it had become in the
//! last moment: it is compared again after the exchange, and exchanged back if somebody wrote to it meanwhile.

use std::{
    collections::BTreeSet,
    fs::{self, File, Metadata, Permissions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};
use toolsmith_tool::{CancelToken, ContentHash, FileChange};

use super::{
    check::is_missing,
    durable::{create_private, remove_if_there, sync_folder},
    error::{ChangeError, DriftKind},
    hash::hash_file,
    record::{ChangedFile, Plan, Step},
};

const MODE_BITS: u32 = 0o7777;

/// Writes the new contents beside their files. Nothing is changed yet.
pub(super) fn stage(
    plan: &Plan,
    changes: &[FileChange],
    found: &[Option<Metadata>],
    cancel: &CancelToken,
) -> Result<(), ChangeError> {
    for folder in &plan.entry.made_folders {
        match fs::create_dir(folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            done => done.map_err(ChangeError::io(folder, "make the folder"))?,
        }
    }
    for ((step, change), found) in plan.steps.iter().zip(changes).zip(found) {
        if cancel.is_cancelled() {
            return Err(ChangeError::Cancelled);
        }
        if let Some(content) = &change.content {
            write_fresh(&step.fresh, content, change, found.as_ref())
                .map_err(ChangeError::io(&change.path, "write the new content beside it"))?;
        }
    }
    Ok(())
}

fn write_fresh(
    fresh: &Path,
    content: &[u8],
    change: &FileChange,
    found: Option<&Metadata>,
) -> io::Result<()> {
    // A new file gets what the user's mask leaves; anything else is closed until it has its own mode.
    let is_plain = found.is_none() && change.mode.is_none();
    let mut file = if is_plain { File::create_new(fresh)? } else { create_private(fresh)? };
    file.write_all(content)?;
    if is_plain {
        return file.sync_all();
    }
    if let Some(found) = found {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
            // Only root may give files away; for others the content matters more than whose it is.
            let _ = std::os::unix::fs::fchown(&file, Some(found.uid()), Some(found.gid()));
        }
    }
    if let Some(mode) = found.map(|found| found.permissions().mode()).or(change.mode) {
        file.set_permissions(Permissions::from_mode(mode & MODE_BITS))?;
    }
    file.sync_all()
}

/// Puts the new contents in place. After an error the caller restores the plan.
pub(super) fn swap_all(plan: &Plan, exchange: bool) -> Result<(), ChangeError> {
    for (file, step) in plan.files() {
        swap(file, step, exchange)?;
    }
    let folders: BTreeSet<&Path> = plan.entry.files.iter().filter_map(|file| file.target.parent()).collect();
    for folder in folders {
        sync_folder(folder).map_err(ChangeError::io(folder, "make the change durable"))?;
    }
    Ok(())
}

fn swap(file: &ChangedFile, step: &Step, exchange: bool) -> Result<(), ChangeError> {
    let failed = ChangeError::io(&file.target, "replace it");
    let drift = |kind| Err(ChangeError::drift(&file.path, kind));
    let Some(before) = file.before else {
        return match rename_to_nothing(&step.fresh, &file.target) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => drift(DriftKind::Appeared),
            done => done.map_err(failed),
        };
    };
    let original = if file.after.is_none() {
        fs::rename(&file.target, &step.old).map(|()| &step.old)
    } else if exchange && exchange_files(&step.fresh, &file.target).map_err(vanished(file))? {
        Ok(&step.fresh)
    } else {
        fs::rename(&file.target, &step.old)
            .and_then(|()| rename_to_nothing(&step.fresh, &file.target))
            .map(|()| &step.old)
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

/// Exchanges two files in one step; `false` when this file system cannot.
fn exchange_files(a: &Path, b: &Path) -> io::Result<bool> {
    match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Renames to a name that must be free.
fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        done => done.map_err(Into::into),
    }
}

/// Whether there is a regular file of this content.
fn is_this(path: &Path, hash: ContentHash) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.is_file() && hash_file(path)? == hash),
        Err(error) if is_missing(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_there(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if is_missing(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// What could not be put back.
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
            if staged { restore_file(file, step) } else { remove_if_there(&step.fresh).map(|()| None) };
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

/// Puts one file back. Gives the place of the original where somebody else's content is in its way.
fn restore_file(file: &ChangedFile, step: &Step) -> io::Result<Option<PathBuf>> {
    let new_is_in_place = || match file.after {
        Some(after) => is_this(&file.target, after),
        None => Ok(false),
    };
    if is_there(&step.old)? {
        if new_is_in_place()? {
            fs::rename(&step.old, &file.target)?;
        } else if rename_to_nothing(&step.old, &file.target).is_err() {
            return Ok(Some(step.old.clone()));
        }
        return remove_if_there(&step.fresh).map(|()| None);
    }
    if is_there(&step.fresh)? {
        // It holds the new content as long as nothing was exchanged.
        let exchanged = match file.after {
            Some(after) => !is_this(&step.fresh, after)?,
            None => false,
        };
        if exchanged {
            if !new_is_in_place()? {
                return Ok(Some(step.fresh.clone()));
            }
            exchange_files(&step.fresh, &file.target)?;
        }
        return remove_if_there(&step.fresh).map(|()| None);
    }
    if file.before.is_none() && new_is_in_place()? {
        remove_if_there(&file.target)?;
    }
    Ok(None)
}

/// Removes what a plan that was carried out left behind: the old files.
pub(super) fn clear_up(plan: &Plan) -> io::Result<()> {
    plan.steps.iter().try_for_each(|step| {
        remove_if_there(&step.fresh)?;
        remove_if_there(&step.old)
    })
}

/// Folders that something is in stay.
pub(super) fn remove_made_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// Which folders have to be made for these files, outermost first.
pub(super) fn missing_folders(changes: &[FileChange]) -> Vec<PathBuf> {
    let mut missing = BTreeSet::new();
    for change in changes.iter().filter(|change| change.content.is_some()) {
        let mut folder = change.target.parent();
        while let Some(path) = folder.filter(|path| fs::symlink_metadata(path).is_err()) {
            missing.insert(path.to_path_buf());
            folder = path.parent();
        }
    }
    // A folder sorts before what is in it.
    missing.into_iter().collect()
}

#[cfg(test)]
#[path = "transaction_tests.rs"]
mod tests;
