//! Programs and npm packages that some tests need: Node, Bun, and packages from the registry.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use toolsmith_host::exec::{Request, run};
use toolsmith_tool::CancelToken;

/// Installs what the lock file in `from` names into `place`, unless it is there, and gives the folder of the packages.
/// Processes that come at the same time wait for the one that installs.
///
/// # Errors
/// When files cannot be read or written, or when npm fails; the error has what it said.
pub async fn install_packages(from: &Path, place: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(place)?;
    let turn = File::create(place.join("lock"))?;
    turn.lock()?;
    let packages = place.join("node_modules");
    let wanted = fs::read(from.join("package-lock.json"))?;
    let stamp = place.join("installed.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(packages);
    }
    for file in ["package.json", "package-lock.json"] {
        fs::copy(from.join(file), place.join(file))?;
    }
    let request = Request::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"])
        .cwd(place);
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.map_err(io::Error::other)?;
    if outcome.code != 0 {
        let said = format!("npm ci failed:\n{}{}", outcome.stdout.text(), outcome.stderr.text());
        return Err(io::Error::other(said));
    }
    fs::write(&stamp, wanted)?;
    Ok(packages)
}

/// Returns whether a program is on the `PATH`. If not, it prints that the calling test is skipped.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
pub fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).any(|folder| folder.is_absolute() && folder.join(name).is_file());
    if !found {
        eprintln!("skipped: needs {name}");
    }
    found
}
