//! Files that commands write into a project or a folder of the user. A repository may contain links, so none of these files
//! is written through a link, and none in a project lands outside of it.

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use toolsmith_host::location::Location;

/// A folder that files are written into.
pub(crate) struct Target {
    folder: PathBuf,
    /// The folder all of it has to lie in.
    within: Option<PathBuf>,
}

impl Target {
    /// A folder in the project, which must not lead out of it.
    pub(crate) fn in_project(project: &Path, folder: impl Into<PathBuf>) -> io::Result<Self> {
        Ok(Self { folder: folder.into(), within: Some(toolsmith_host::real_path(project)?) })
    }

    /// A folder of the user, wherever it leads.
    pub(crate) fn of_user(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), within: None }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The place of a file in it.
    fn place(&self, path: &Path) -> io::Result<Location> {
        let place = Location::resolve_folder(path)?;
        if let Some(within) = &self.within {
            place
                .require_within(within)
                .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        }
        if place.metadata()?.is_some_and(|found| found.is_symlink()) {
            return Err(io::Error::other(format!("{} is a symbolic link; remove it first", path.display())));
        }
        Ok(place)
    }

    /// Checks that a file below the folder can be written: it is no link and does not lead out of the project.
    pub(crate) fn check(&self, path: &Path) -> io::Result<()> {
        self.place(path).map(drop)
    }

    /// Writes a file below the folder, with the folders it needs.
    pub(crate) fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        self.place(path)?.save(text.as_bytes(), None, None)
    }

    /// The content of a file; `None` when there is none.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        let place = self.place(path)?;
        if place.metadata()?.is_none() {
            return Ok(None);
        }
        let mut content = Vec::new();
        place.open()?.read_to_end(&mut content)?;
        Ok(Some(content))
    }
}
