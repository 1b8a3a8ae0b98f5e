//! npm packages: one with the program for each system, and a launcher that has them as optional dependencies, so that npm
//! installs the one that fits.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{Built, SUMMARY, Target, VERSION, archive::LICENCES, tar};
use crate::cargo::root;

const LAUNCHER: &str = include_str!("launcher.js");
/// Name of the launcher's package; those with programs add their system.
const NAME: &str = "@toolsmith/cli";

fn program_name(target: Target) -> String {
    format!("{NAME}-{}-{}", target.names.npm_os, target.names.npm_cpu)
}

fn file_name(package: &str) -> String {
    format!("{}-{VERSION}.tgz", package.trim_start_matches('@').replace('/', "-"))
}

/// Returns the files of the launcher and of the program for a target.
pub(super) fn files(target: Target) -> [String; 2] {
    [file_name(NAME), file_name(&program_name(target))]
}

/// Returns where npm installs the program, from the folder of the project.
pub(super) fn installed_program(target: Target) -> String {
    format!("node_modules/{}/bin/{}", program_name(target), target.names.program)
}

/// Writes the package with the program for one system.
pub(super) fn write_program(built: &Built, to: &Path) -> Result<()> {
    let name = program_name(built.target);
    let file = format!("bin/{}", built.target.names.program);
    let manifest = json!({
        "name": name,
        "version": VERSION,
        "description": format!("{SUMMARY}: the program for {}", built.target.triple),
        "license": "MIT OR Apache-2.0",
        "os": [built.target.names.npm_os],
        "cpu": [built.target.names.npm_cpu],
        "files": [file],
    });
    pack(&name, &manifest, &file, &fs::read(&built.program)?, to)
}

/// Writes the package that people install.
pub(super) fn write_launcher(built: &[Built], to: &Path) -> Result<()> {
    let programs: Map<String, Value> =
        built.iter().map(|built| (program_name(built.target), VERSION.into())).collect();
    let manifest = json!({
        "name": NAME,
        "version": VERSION,
        "description": SUMMARY,
        "license": "MIT OR Apache-2.0",
        "bin": { "toolsmith": "bin/toolsmith.js" },
        "files": ["bin/toolsmith.js"],
        "engines": { "node": ">=18" },
        "optionalDependencies": programs,
    });
    pack(NAME, &manifest, "bin/toolsmith.js", format!("#!/usr/bin/env node\n{LAUNCHER}").as_bytes(), to)
}

/// A package is an archive of a directory that is called `package`.
fn pack(name: &str, manifest: &Value, file: &str, bytes: &[u8], to: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let folder = place.path().join("package");
    fs::create_dir_all(folder.join("bin"))?;
    fs::write(folder.join("package.json"), serde_json::to_string_pretty(manifest)? + "\n")?;
    for licence in LICENCES {
        fs::copy(root().join(licence), folder.join(licence.rsplit('/').next().unwrap_or(licence)))?;
    }
    fs::write(folder.join(file), bytes)?;
    fs::set_permissions(folder.join(file), fs::Permissions::from_mode(0o755))?;
    tar(place.path(), "package", &to.join(file_name(name)))
}
