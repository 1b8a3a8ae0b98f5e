//! Type definitions for editors and `tsc`, and a tsconfig.json that refers to them. Both are embedded and written
//! beside the tools directory.

use std::{io, path::PathBuf};

use crate::project_files::Target;

/// Name of the file with the types.
pub(crate) const TYPES_FILE: &str = "toolsmith.d.ts";
/// Name of the compiler configuration.
pub(crate) const SETTINGS_FILE: &str = "tsconfig.json";
/// Compiler configuration for a directory that contains `tools`.
pub(crate) const SETTINGS: &str = include_str!("../types/tsconfig.json");
/// Minimal Node types, used without `@types/node`.
pub(crate) const NODE_GLOBALS: &str = include_str!("../types/node_globals.d.ts");

/// The types by subject: the host API, the modules the host serves, and the bundled schema libraries. `docs/api.md` is
/// generated from the same files.
const PARTS: &[&str] = &[
    include_str!("../types/tools.d.ts"),
    include_str!("../types/host_api.d.ts"),
    include_str!("../types/context.d.ts"),
    include_str!("../types/ui.d.ts"),
    include_str!("../types/theme.d.ts"),
    include_str!("../types/extensions.d.ts"),
    include_str!("../types/modules.d.ts"),
    include_str!("../types/components.d.ts"),
    include_str!("../types/functions.d.ts"),
    include_str!("../types/schemas.d.ts"),
];

/// Returns all types as one file.
pub(crate) fn types() -> String {
    PARTS.join("\n")
}

/// Outcome for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    New,
    Replaced,
    /// It was up to date.
    Same,
    /// It is the author's own and was kept.
    Kept,
}

impl Written {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::New => "written",
            Self::Replaced => "replaced",
            Self::Same => "up to date",
            Self::Kept => "kept unchanged",
        }
    }
}

/// Writes types and settings into a folder. Types are ours and replaced; settings that are there stay.
pub(crate) fn write_into(target: &Target) -> io::Result<Vec<(PathBuf, Written)>> {
    let types_path = target.folder().join(TYPES_FILE);
    let types = types();
    let written = match target.read(&types_path)? {
        Some(old) if old == types.as_bytes() => Written::Same,
        Some(_) => Written::Replaced,
        None => Written::New,
    };
    if written != Written::Same {
        target.write(&types_path, &types)?;
    }
    let settings_path = target.folder().join(SETTINGS_FILE);
    let settings = match target.read(&settings_path)? {
        Some(old) if old == SETTINGS.as_bytes() => Written::Same,
        Some(_) => Written::Kept,
        None => {
            target.write(&settings_path, SETTINGS)?;
            Written::New
        }
    };
    Ok(vec![(types_path, written), (settings_path, settings)])
}
