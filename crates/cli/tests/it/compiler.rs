//! The real TypeScript compiler, installed once by its lock file.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::sync::OnceCell;
use toolsmith_host::exec::{Request, run};
use toolsmith_tool::CancelToken;

static INSTALLED: OnceCell<PathBuf> = OnceCell::const_new();

/// The folder with `tsc` in it.
pub(crate) async fn programs() -> &'static Path {
    INSTALLED.get_or_init(install).await
}

async fn install() -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npm");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typescript");
    let lock = fs::read(from.join("package-lock.json")).unwrap();
    let stamp = place.join("installed-lock.json");
    if !fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        fs::create_dir_all(&place).unwrap();
        for name in ["package.json", "package-lock.json"] {
            fs::copy(from.join(name), place.join(name)).unwrap();
        }
        let request = Request::new("npm")
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"])
            .cwd(&place)
            .timeout(Duration::from_secs(300));
        let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
        assert_eq!(outcome.code, 0, "{}{}", outcome.stdout.text(), outcome.stderr.text());
        fs::write(stamp, lock).unwrap();
    }
    place.join("node_modules/.bin")
}
