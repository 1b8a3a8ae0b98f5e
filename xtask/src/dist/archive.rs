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
const LICENCES: [&str; 3] = ["LICENSE-MIT", "LICENSE-APACHE", "crates/cli/THIRD-PARTY-NOTICES"];

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

/// Writes `toolsmith-VERSION-TARGET.tar.gz`.
pub(super) fn write(built: &Built, content: &Content, to: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let name = format!("toolsmith-{VERSION}-{}", built.target.triple);
    let folder = place.path().join(&name);
    fs::create_dir_all(folder.join("completions"))?;
    fs::create_dir_all(folder.join("man"))?;
    fs::copy(&built.program, folder.join("toolsmith"))?;
    for licence in &content.licences {
        fs::copy(licence, folder.join(licence.file_name().unwrap_or_default()))?;
    }
    for (_, file, text) in &content.completions {
        fs::write(folder.join("completions").join(file), text)?;
    }
    fs::write(folder.join("man/toolsmith.1"), &content.manual)?;
    tar(place.path(), &name, &to.join(format!("{name}.tar.gz")))
}
