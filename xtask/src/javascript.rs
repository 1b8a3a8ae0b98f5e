//! `cargo xtask js`: writes the JavaScript that needs npm to `crates/js/generated`, from where builds and packages take
//! it. `crates/js/build` has the code, which the build script uses too.

#[path = "../../crates/js/build/prepare.rs"]
#[allow(
    clippy::panic,
    clippy::disallowed_methods,
    reason = "shared with a build script, which starts programs and fails by panicking"
)]
mod prepare;

use anyhow::{Result, ensure};
pub(crate) use prepare::files_below;

use crate::cargo::root;

pub(crate) fn run() -> Result<()> {
    let root = root().join("crates/js");
    let folder = root.join(prepare::GENERATED);
    if prepare::is_current(&root, &folder) {
        println!("{} is up to date", folder.display());
        return Ok(());
    }
    ensure!(prepare::has_npm(), "npm is not on the PATH: install Node.js with npm");
    // The packages are of no use afterwards.
    let libraries = tempfile::tempdir()?;
    prepare::prepare(&root, libraries.path(), &folder);
    println!("wrote {} ({} files)", folder.display(), prepare::files_below(&folder).len());
    Ok(())
}
