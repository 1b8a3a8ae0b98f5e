//! Wine, which runs programs for Windows: a system of its own in a given folder, and the library that Wine lacks.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};

use crate::targets::tools;

/// Its name as a runner.
pub(crate) const RUNNER: &str = "wine";

/// Rust's library takes random numbers from `bcryptprimitives.dll`, which Windows has and Wine 8 has not. This stub asks the
/// function that Wine has. It is placed in the folder of Wine's system and is no part of any package.
const RANDOM: &str = "
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *buffer, unsigned long length);
__declspec(dllexport) int __stdcall ProcessPrng(void *buffer, unsigned long long length) {
    return SystemFunction036(buffer, (unsigned long)length);
}
";

/// A running system.
#[derive(Debug)]
pub(crate) struct Wine {
    prefix: PathBuf,
    /// Waits for input, so that the system does not shut down between two programs.
    waiting: Option<Child>,
}

impl Wine {
    /// Creates a system in a new folder and starts it.
    pub(crate) fn start(prefix: PathBuf) -> Result<Self> {
        let mut wine = Self { prefix, waiting: None };
        fs::create_dir(&wine.prefix)?;
        let output = wine.command("wineboot").arg("--init").output().context("wine could not be started")?;
        ensure!(output.status.success(), "wineboot failed:\n{}", String::from_utf8_lossy(&output.stderr));
        let waiting =
            wine.command("cmd").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        wine.waiting = Some(waiting);
        write_random(&wine.prefix)?;
        Ok(wine)
    }

    /// Prepares a program: a path of this machine, or a name that Windows has. Its home and its temporary files are in the folder
    /// of the system.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        #[expect(clippy::disallowed_methods, reason = "a task waits for what it starts")]
        let mut command = Command::new(RUNNER);
        command.env_clear().env("PATH", env::var_os("PATH").unwrap_or_default()).env("HOME", &self.prefix);
        self.set_environment(&mut command);
        command.arg(program);
        command
    }

    /// Has a command run programs in this system.
    pub(crate) fn set_environment(&self, command: &mut Command) {
        command.env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all");
        // File names are UTF-8 only if the locale says so. The two libraries would ask to be downloaded.
        command.env("LC_ALL", "C.UTF-8").env("WINEDLLOVERRIDES", "mscoree,mshtml=");
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        // Ends everything that still runs in this system, and nothing else.
        let _ = self.command("wineboot").arg("--kill").output();
        if let Some(waiting) = &mut self.waiting {
            let _ = waiting.wait();
        }
    }
}

fn write_random(prefix: &Path) -> Result<()> {
    let folder = prefix.join("drive_c/windows/system32");
    let source = prefix.join("random.c");
    fs::write(&source, RANDOM)?;
    let options = ["zig", "cc", "--", "-target", "x86_64-windows-gnu", "-shared", "-s"];
    let files = [source.as_os_str(), "-ladvapi32".as_ref(), "-o".as_ref()];
    let library = folder.join("bcryptprimitives.dll");
    let output = tools::start("cargo-zigbuild").args(options).args(files).arg(&library).output()?;
    ensure!(output.status.success(), "zig cc failed:\n{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
