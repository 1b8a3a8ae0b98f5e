//! Archives: the program with licences, completions and manual pages.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

use super::{Built, VERSION, capture, start, tar};
use crate::cargo::root;

const SHELLS: [(&str, &str); 3] =
    [("bash", "toolsmith.bash"), ("zsh", "_toolsmith"), ("fish", "toolsmith.fish")];
/// Paths of the licences from the root of the repository.
pub(super) const LICENCES: [&str; 3] = ["LICENSE-MIT", "LICENSE-APACHE", "crates/cli/THIRD-PARTY-NOTICES"];

/// Files that every package has beside the program.
pub(super) struct Content {
    /// Completions by shell and file name.
    pub(super) completions: Vec<(&'static str, &'static str, Vec<u8>)>,
    pub(super) manual: Vec<u8>,
    pub(super) licences: Vec<PathBuf>,
}

impl Content {
    /// Has the program print its completions and its manual.
    pub(super) fn prepare(program: &Path) -> Result<Self> {
        let completions = SHELLS
            .map(|(shell, file)| Ok((shell, file, capture(start(program).args(["completions", shell]))?)))
            .into_iter()
            .collect::<Result<_>>()?;
        let manual = capture(start(program).arg("man"))?;
        Ok(Self { completions, manual, licences: LICENCES.map(|name| root().join(name)).to_vec() })
    }
}

/// Returns the name of the directory in an archive.
pub(super) fn name(built: &Built) -> String {
    format!("toolsmith-{VERSION}-{}", built.target.triple)
}

/// Returns the file name of an archive.
pub(super) fn file_name(built: &Built) -> String {
    format!("{}.{}", name(built), built.target.names.archive)
}

/// Writes the archive for one system.
pub(super) fn write(built: &Built, content: &Content, to: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let name = name(built);
    let folder = place.path().join(&name);
    fs::create_dir_all(folder.join("completions"))?;
    fs::create_dir_all(folder.join("man"))?;
    fs::copy(&built.program, folder.join(built.target.names.program))?;
    for licence in &content.licences {
        fs::copy(licence, folder.join(licence.file_name().unwrap_or_default()))?;
    }
    for (_, file, text) in &content.completions {
        fs::write(folder.join("completions").join(file), text)?;
    }
    fs::write(folder.join("man/toolsmith.1"), &content.manual)?;
    let archive = to.join(file_name(built));
    match built.target.names.archive {
        "zip" => zip(place.path(), &name, &archive),
        _ => tar(place.path(), &name, &archive),
    }
}

/// Packs a directory for Windows, which unpacks this format by itself.
fn zip(folder: &Path, name: &str, to: &Path) -> Result<()> {
    let write = include_str!("zip.py");
    capture(start("python3").args(["-c", write, name]).arg(to).current_dir(folder)).map(drop)
}
