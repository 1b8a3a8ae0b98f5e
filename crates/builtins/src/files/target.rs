//! The file or directory a call is about: as the model spelled it, and the place it leads to. The tool opens the place. It is
//! the one that hooks and approval saw, and no link on the way is followed any more.

use std::path::{Path, PathBuf};

use toolsmith_host::location::leads_to;
use toolsmith_tool::{Place, ToolContext, ToolError};

use super::path::Workspace;

/// A path of a call.
#[derive(Debug)]
pub(crate) struct Target {
    /// The path as it was asked for, for people and models.
    pub(crate) path: PathBuf,
    /// The path without links; as it was asked for if it leads nowhere.
    pub(crate) real: PathBuf,
}

impl Target {
    /// Returns the path for display of something below the real path.
    pub(crate) fn asked(&self, below: &Path) -> PathBuf {
        self.path.join(below)
    }
}

impl Workspace {
    /// Returns where a path of a call leads now.
    pub(crate) fn place(&self, written: &str) -> Place {
        Place::new(written, self.resolve(written).ok().as_deref().and_then(leads_to))
    }

    /// Returns the target of a call.
    ///
    /// # Errors
    /// Fails if the path cannot be meant, or leads elsewhere than the gates of the call saw.
    pub(crate) fn target(&self, written: &str, context: &ToolContext) -> Result<Target, ToolError> {
        let path = self.resolve(written)?;
        let now = Place::new(written, leads_to(&path));
        if !context.places.agree_with(&now) {
            return Err(self.moved(&path));
        }
        Ok(Target { real: now.leads_to.unwrap_or_else(|| path.clone()), path })
    }

    /// Refuses what was found in a directory that was replaced meanwhile. A directory is read by its path, so a link in
    /// its place would have been followed.
    ///
    /// # Errors
    /// Fails if the real path leads elsewhere.
    pub(crate) fn check_unmoved(&self, target: &Target) -> Result<(), ToolError> {
        match leads_to(&target.real) {
            Some(now) if now != target.real => Err(self.moved(&target.path)),
            _ => Ok(()),
        }
    }

    pub(super) fn moved(&self, path: &Path) -> ToolError {
        ToolError::reply(format!(
            "{} leads elsewhere than when the call was checked. Try again.",
            self.show(path)
        ))
    }
}
