//! Finding Bun or Node, and how they are started.

use std::{
    ffi::OsStr,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{OnceLock, PoisonError},
};

use tempfile::NamedTempFile;
use toolsmith_host::exec::{Request, Stdin};

use crate::{engine_kind::EngineKind, limits::Limits};

/// What they run. See `build/sidecar.rs`.
static PROGRAM: &str = include_str!(concat!(env!("OUT_DIR"), "/sidecar.cjs"));

/// Gives the protocol file descriptors of its own; what a tool prints or reads has nothing to do with it.
const REDIRECT: &str = "exec \"$0\" \"$@\" 3>&1 4<&0 0</dev/null 1>&2";

/// A runtime that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SidecarRuntime {
    pub(crate) kind: EngineKind,
    path: PathBuf,
}

impl SidecarRuntime {
    /// The one of a kind in the folders of a search path.
    pub(crate) fn find(kind: EngineKind, search: &OsStr) -> Option<Self> {
        let name = match kind {
            EngineKind::Embedded => return None,
            EngineKind::Bun => "bun",
            EngineKind::Node => "node",
        };
        let path =
            std::env::split_paths(search).map(|folder| folder.join(name)).find(|path| is_program(path))?;
        Some(Self { kind, path })
    }

    /// Bun, else Node.
    pub(crate) fn find_any(search: &OsStr) -> Option<Self> {
        Self::find(EngineKind::Bun, search).or_else(|| Self::find(EngineKind::Node, search))
    }

    /// How it is started.
    pub(super) fn request(&self, cwd: &Path, limits: &Limits) -> Result<Request, String> {
        let program = program_file().map_err(|error| format!("could not write its program: {error}"))?;
        let mut args = vec!["-c".to_owned(), REDIRECT.to_owned(), self.path.to_string_lossy().into_owned()];
        if self.kind == EngineKind::Node {
            args.push("--no-warnings".to_owned());
            args.push(format!("--max-old-space-size={}", (limits.memory >> 20).max(16)));
        } else {
            // It has no cap on memory, but can be told to collect garbage sooner; and it must never fetch a package by
            // itself that a tool names.
            args.push("--smol".to_owned());
            args.push("--no-install".to_owned());
        }
        args.push(program.to_string_lossy().into_owned());
        Ok(Request::new("sh").args(args).cwd(cwd).stdin(Stdin::Piped))
    }
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The program as a file that only we can write, made when it is first needed and again when somebody removed it.
fn program_file() -> std::io::Result<PathBuf> {
    static FILE: OnceLock<std::sync::Mutex<Option<NamedTempFile>>> = OnceLock::new();
    let mut file = FILE.get_or_init(Default::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = file.as_ref().filter(|file| file.path().exists()) {
        return Ok(file.path().to_path_buf());
    }
    let mut fresh = tempfile::Builder::new().prefix("toolsmith-").suffix(".cjs").tempfile()?;
    fresh.write_all(PROGRAM.as_bytes())?;
    let path = fresh.path().to_path_buf();
    *file = Some(fresh);
    Ok(path)
}
