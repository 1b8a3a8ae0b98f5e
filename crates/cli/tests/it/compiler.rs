//! The real TypeScript compiler, installed once by its lock file.

use std::path::{Path, PathBuf};

use tokio::sync::OnceCell;
use toolsmith_testkit::install_packages;

static INSTALLED: OnceCell<PathBuf> = OnceCell::const_new();

/// The folder with `tsc` in it.
pub(crate) async fn programs() -> &'static Path {
    INSTALLED.get_or_init(install).await
}

async fn install() -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npm");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typescript");
    install_packages(&from, &place).await.unwrap().join(".bin")
}
