//! The types editors and `tsc` check tools with, and the settings that make them find those types. Both are built in and
//! written beside the folder of tools.

use std::{io, path::PathBuf};

use crate::project_files::Target;

/// The name of the file with the types.
pub(crate) const TYPES_FILE: &str = "toolsmith.d.ts";
/// The name of the compiler's settings.
pub(crate) const SETTINGS_FILE: &str = "tsconfig.json";
/// The compiler's settings for a folder with `tools` in it.
pub(crate) const SETTINGS: &str = include_str!("../types/tsconfig.json");
/// What a program of Node's sees without `@types/node`.
pub(crate) const NODE_GLOBALS: &str = include_str!("../types/node_globals.d.ts");

const HOST: &str = include_str!("../types/toolsmith.d.ts");
const SCHEMAS: &str = include_str!("../types/schemas.d.ts");

/// All types: the host API, and the schema libraries it brings along.
pub(crate) fn types() -> String {
    format!("{HOST}\n{SCHEMAS}")
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    New,
    Replaced,
    /// It says the same already.
    Same,
    /// It is the author's own and stays.
    Kept,
}

impl Written {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::New => "written",
            Self::Replaced => "replaced",
            Self::Same => "up to date",
            Self::Kept => "kept as it is",
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
