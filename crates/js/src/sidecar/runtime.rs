//! Finding Bun or Node, and how they are started.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use toolsmith_host::exec::{Request, Stdin, on_own_descriptors, program_file};

use crate::{limits::Limits, options::EngineKind};

/// The sidecar program. See `build/sidecar.rs`.
static PROGRAM: &str = include_str!(concat!(env!("OUT_DIR"), "/sidecar.cjs"));

/// The name of the file it is written to.
const PROGRAM_NAME: &str = "toolsmith.cjs";

/// A runtime that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SidecarRuntime {
    pub(crate) kind: EngineKind,
    path: PathBuf,
}

impl SidecarRuntime {
    /// The one of a kind in the folders of a search path. Folders that are relative or inside `cwd` are passed over: what is
    /// there belongs to the project.
    pub(crate) fn find(kind: EngineKind, search: &OsStr, cwd: &Path) -> Option<Self> {
        let name = match kind {
            EngineKind::Embedded => return None,
            EngineKind::Bun => "bun",
            EngineKind::Node => "node",
        };
        let cwd = toolsmith_host::real_path(cwd).unwrap_or_else(|_| cwd.to_path_buf());
        // What is in the user's home is the user's, also when that is where the tool works.
        let home = toolsmith_host::home_folder().and_then(|home| toolsmith_host::real_path(home).ok());
        let is_project = cwd.parent().is_some() && !home.is_some_and(|home| home.starts_with(&cwd));
        let is_outside = |path: &PathBuf| {
            let folder = path.parent().and_then(|folder| toolsmith_host::real_path(folder).ok());
            let places = [folder, toolsmith_host::real_path(path).ok()];
            !is_project
                || places.iter().all(|place| place.as_ref().is_some_and(|place| !place.starts_with(&cwd)))
        };
        let path = std::env::split_paths(search)
            .filter(|folder| folder.is_absolute())
            .filter_map(|folder| program_file(&folder, name))
            .find(is_outside)?;
        Some(Self { kind, path })
    }

    /// Bun, else Node.
    pub(crate) fn find_any(search: &OsStr, cwd: &Path) -> Option<Self> {
        Self::find(EngineKind::Bun, search, cwd).or_else(|| Self::find(EngineKind::Node, search, cwd))
    }

    /// How it is started, and the folder it is started in.
    pub(super) fn request(&self, cwd: &Path, limits: &Limits) -> Result<(Request, TempDir), String> {
        let folder = start_folder().map_err(|error| format!("could not write its program: {error}"))?;
        let start = folder.path();
        let mut args = Vec::new();
        if self.kind == EngineKind::Node {
            args.push("--no-warnings".to_owned());
            args.push(format!("--max-old-space-size={}", (limits.memory >> 20).max(16)));
        } else {
            // It has no cap on its heap, but can be told to collect garbage sooner; and it must never fetch a package by
            // itself that a tool names.
            args.push("--smol".to_owned());
            args.push("--no-install".to_owned());
        }
        args.push(start.join(PROGRAM_NAME).to_string_lossy().into_owned());
        args.push(cwd.to_string_lossy().into_owned());
        // The protocol has descriptors of its own; what a tool prints or reads has nothing to do with it.
        let program = self.path.to_string_lossy();
        let mut request = on_own_descriptors(&program, args).cwd(start).stdin(Stdin::Piped);
        request.env.insert("PWD".to_owned(), Some(start.to_string_lossy().into_owned()));
        Ok((request, folder))
    }
}

/// The folder a sidecar is started in, with its program: one that only we can write, so that nothing in it was put there by a
/// project. The program removes it once it is read.
fn start_folder() -> std::io::Result<TempDir> {
    let folder = toolsmith_host::private_temporary_folder("toolsmith-")?;
    std::fs::write(folder.path().join(PROGRAM_NAME), PROGRAM)?;
    // So that those of the folders above are not looked for.
    std::fs::write(folder.path().join("package.json"), "{}")?;
    std::fs::write(folder.path().join("tsconfig.json"), "{}")?;
    Ok(folder)
}
