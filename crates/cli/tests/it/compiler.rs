//! The real TypeScript compiler, installed once by its lock file. Tests that use it are skipped where npm is missing.

use std::path::{Path, PathBuf};

use tokio::sync::OnceCell;
use toolsmith_testkit::{has_program, install_packages};

static INSTALLED: OnceCell<PathBuf> = OnceCell::const_new();

/// The folder with `tsc` in it; nothing if npm is missing.
pub(crate) async fn programs() -> Option<&'static Path> {
    match has_program("npm") {
        true => Some(INSTALLED.get_or_init(install).await),
        false => None,
    }
}

async fn install() -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npm");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typescript");
    install_packages(&from, &place).await.unwrap().join(".bin")
}
