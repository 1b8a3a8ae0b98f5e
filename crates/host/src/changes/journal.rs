//! Plans on disk. A plan is written before anything is touched and removed when everything is in order again, so
//! whatever is found there was interrupted.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{
    durable::{remove_if_there, sync_folder, write_private},
    error::ChangeError,
    record::Plan,
    transaction::{clear_up, restore},
};
use crate::seal::SealKey;

/// Kind of a sealed plan.
const PLAN: &str = "plan";

/// Interrupted changes that were found, and their outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// Labels of changes that were taken back, because they had not been finished.
    pub taken_back: Vec<String>,
    /// Files that could not be put back, and why.
    pub left: Vec<String>,
}

/// The folder of plans.
pub(super) struct Journal<'a> {
    folder: PathBuf,
    key: &'a SealKey,
}

/// Where plans are kept in a store.
pub(super) fn plans_folder(store: &Path) -> PathBuf {
    store.join("unfinished")
}

impl<'a> Journal<'a> {
    pub(super) fn new(store: &Path, key: &'a SealKey) -> Self {
        Self { folder: plans_folder(store), key }
    }

    fn plan_path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// Says that all new contents are written, so files may have been touched.
    fn mark_path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.staged"))
    }

    pub(super) fn begin(&self, plan: &Plan) -> Result<(), ChangeError> {
        let path = self.plan_path(&plan.entry.id);
        let text = serde_json::to_vec(plan)
            .map_err(|error| ChangeError::io(&path, "write the plan")(error.into()))?;
        let text = self.key.seal(PLAN, &plan.entry.id, &text);
        write_private(&path, &text).map_err(ChangeError::io(&path, "write the plan"))
    }

    pub(super) fn mark_staged(&self, plan: &Plan) -> Result<(), ChangeError> {
        let path = self.mark_path(&plan.entry.id);
        write_private(&path, b"").map_err(ChangeError::io(&path, "write the plan"))
    }

    /// Forgets a plan. The mark goes last: a plan without it is taken for one that touched nothing.
    pub(super) fn end(&self, plan: &Plan) -> Result<(), ChangeError> {
        let (path, mark) = (self.plan_path(&plan.entry.id), self.mark_path(&plan.entry.id));
        remove_if_there(&path)
            .and_then(|()| sync_folder(&self.folder))
            .and_then(|()| remove_if_there(&mark))
            .map_err(ChangeError::io(&path, "remove the plan"))
    }

    /// The plan in a file; `None` when the key did not seal it under this name.
    fn read(&self, path: &Path, text: &[u8]) -> Option<Plan> {
        let id = path.file_stem()?.to_str()?;
        let plan: Plan = serde_json::from_slice(self.key.open(PLAN, id, text)?).ok()?;
        (plan.entry.id == id).then_some(plan)
    }

    /// Takes back what was interrupted. `is_done` tells whether a plan had been carried out to the end.
    pub(super) fn recover(&self, is_done: impl Fn(&str) -> bool) -> Result<Recovery, ChangeError> {
        let failed = || ChangeError::io(&self.folder, "look for interrupted changes");
        let mut recovery = Recovery::default();
        let mut paths = Vec::new();
        for file in fs::read_dir(&self.folder).map_err(failed())? {
            paths.push(file.map_err(failed())?.path());
        }
        // The newest first, as it was made on top of the others.
        paths.sort_by(|a, b| b.cmp(a));
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        {
            let text = match fs::read(path) {
                Ok(text) => text,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(failed()(error)),
            };
            let Some(plan) = self.read(path, &text) else {
                // Plans are written whole and sealed, so this is none of ours. It is kept for whoever wants to look.
                let _ = fs::rename(path, path.with_extension("refused"));
                recovery.left.push(format!(
                    "{} was not written by this user's Toolsmith and is ignored",
                    path.display()
                ));
                continue;
            };
            if is_done(&plan.entry.id) {
                clear_up(&plan).map_err(failed())?;
                self.end(&plan)?;
                continue;
            }
            let left = restore(&plan, self.mark_path(&plan.entry.id).exists());
            recovery.left.extend(left.lines);
            if !left.try_again {
                recovery.taken_back.push(plan.entry.label.clone());
                self.end(&plan)?;
            }
        }
        // Marks whose plan is gone say nothing.
        for mark in
            paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "staged"))
        {
            if !mark.with_extension("json").exists() {
                remove_if_there(mark).map_err(failed())?;
            }
        }
        Ok(recovery)
    }
}
