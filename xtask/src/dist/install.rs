//! The install script, and installing every artifact into an empty environment to run the program.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::{Built, VERSION, archive, capture, npm, start, wheel};

const SCRIPT: &str = include_str!("install.sh");

/// Programs that an environment has: what the install script and the demo need. There is no Rust, no
/// compiler, no Node.
const PRESENT: &[&str] = &[
    "sh",
    "bash",
    "env",
    "cat",
    "chmod",
    "cp",
    "dirname",
    "git",
    "grep",
    "gzip",
    "ls",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sha256sum",
    "sleep",
    "tar",
    "uname",
];

pub(super) fn write_script(to: &Path) -> Result<()> {
    Ok(fs::write(to.join("install.sh"), SCRIPT.replace("VERSION", VERSION))?)
}

/// Installs each artifact for this machine, runs the demo, and has the program say how it was installed.
pub(super) fn check(built: &[Built], native: &Built, artifacts: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let check = Check { place: place.path(), artifacts, native };
    check.archive()?;
    check.script()?;
    check.refuses_damage()?;
    check.debian()?;
    check.npm()?;
    check.npm_without_program()?;
    check.wheel()?;
    for other in built.iter().filter(|built| built.target.triple != native.target.triple) {
        println!("skipped: installing for {} (not this machine's system)", other.target.triple);
    }
    Ok(())
}

struct Check<'a> {
    place: &'a Path,
    artifacts: &'a Path,
    native: &'a Built,
}

impl Check<'_> {
    fn archive(&self) -> Result<()> {
        let unpacked = self.folder("archive")?;
        let archive = self.artifacts.join(archive::file_name(self.native));
        capture(start("tar").arg("xzf").arg(archive).arg("-C").arg(&unpacked))?;
        self.try_out(
            "an archive",
            &unpacked.join(archive::name(self.native)).join(self.native.target.names.program),
            &[],
        )
    }

    fn script(&self) -> Result<()> {
        let installed = self.folder("script")?;
        let environment = Environment::new(self.place, &[])?;
        capture(environment.start("sh")?.arg(self.artifacts.join("install.sh")).arg(&installed))?;
        self.try_out("an archive", &installed.join("toolsmith"), &[])
    }

    /// The install script must not install an archive with another checksum.
    fn refuses_damage(&self) -> Result<()> {
        let place = self.folder("damaged")?;
        for name in ["install.sh", "SHA256SUMS"] {
            fs::copy(self.artifacts.join(name), place.join(name))?;
        }
        let archive = archive::file_name(self.native);
        let mut bytes = fs::read(self.artifacts.join(&archive))?;
        if let Some(byte) = bytes.last_mut() {
            *byte ^= 1;
        }
        fs::write(place.join(archive), bytes)?;
        let refused = start("sh").arg(place.join("install.sh")).arg(place.join("bin")).output()?;
        ensure!(!refused.status.success(), "install.sh installed a damaged archive");
        ensure!(!place.join("bin/toolsmith").exists(), "install.sh left something of a damaged archive");
        println!("refused: install.sh with a damaged archive");
        Ok(())
    }

    /// Installs the package with `dpkg`, into a system of its own.
    fn debian(&self) -> Result<()> {
        let Some(architecture) = self.native.target.names.debian else { return Ok(()) };
        let package = self.artifacts.join(format!("toolsmith_{VERSION}_{architecture}.deb"));
        if !package.exists() {
            println!("skipped: the Debian package (it was not made)");
            return Ok(());
        }
        let root = self.folder("debian")?;
        for folder in ["var/lib/dpkg/updates", "var/lib/dpkg/info"] {
            fs::create_dir_all(root.join(folder))?;
        }
        fs::write(root.join("var/lib/dpkg/status"), "")?;
        let mut install = start("dpkg");
        install.arg(format!("--root={}", root.display())).args(["--force-not-root", "--log=/dev/null"]);
        capture(install.arg("--install").arg(package))?;
        // The list of files is where the program looks for it only in a real system.
        ensure!(root.join("var/lib/dpkg/info/toolsmith.list").exists(), "dpkg did not register the package");
        self.try_out("an archive", &root.join("usr/bin/toolsmith"), &[])
    }

    fn npm(&self) -> Result<()> {
        let Some(node) = find("node").filter(|_| find("npm").is_some()) else {
            println!("skipped: the npm package (needs node and npm)");
            return Ok(());
        };
        let project = self.folder("npm")?;
        self.npm_install(&project, &npm::files(self.native.target))?;
        self.try_out("npm", &project.join("node_modules/.bin/toolsmith"), &[node])
    }

    /// The launcher alone, as on a system that has no package.
    fn npm_without_program(&self) -> Result<()> {
        let Some(node) = find("node").filter(|_| find("npm").is_some()) else { return Ok(()) };
        let project = self.folder("launcher")?;
        self.npm_install(&project, &npm::files(self.native.target)[..1])?;
        let environment = Environment::new(self.place, &[node])?;
        let failed = environment.start(project.join("node_modules/.bin/toolsmith"))?.arg("demo").output()?;
        let text = String::from_utf8_lossy(&failed.stderr).into_owned();
        ensure!(failed.status.code() == Some(1) && text.contains("is not installed"), "npm launcher: {text}");
        println!("refused: the npm package without its program");
        Ok(())
    }

    fn npm_install(&self, project: &Path, files: &[String]) -> Result<()> {
        let files = files.iter().map(|name| self.artifacts.join(name));
        let install = ["install", "--offline", "--no-audit", "--no-fund", "--no-save"];
        // npm looks upward for a project.
        fs::write(project.join("package.json"), "{}\n")?;
        capture(start("npm").args(install).args(files).current_dir(project).env("HOME", self.place)).map(drop)
    }

    fn wheel(&self) -> Result<()> {
        let environment = self.place.join("venv");
        let mut make = start("python3");
        if !make.args(["-m", "venv"]).arg(&environment).output().is_ok_and(|made| made.status.success()) {
            println!("skipped: the Python wheel (needs python3 with venv)");
            return Ok(());
        }
        let wheel = self.artifacts.join(wheel::file_name(self.native));
        capture(start(environment.join("bin/pip")).args(["install", "--no-index"]).arg(wheel))?;
        self.try_out("pip", &environment.join("bin/toolsmith"), &[])
    }

    /// Runs the demo, and has the program say how it was installed.
    fn try_out(&self, installed_by: &str, program: &Path, more: &[PathBuf]) -> Result<()> {
        let environment = Environment::new(self.place, more)?;
        let shown = program.strip_prefix(self.place).unwrap_or(program).display();
        capture(environment.start(program)?.arg("demo"))
            .with_context(|| format!("{shown}: the demo failed"))?;
        let said = capture(environment.start(program)?.args(["update", "--json"]))?;
        let said: Value = serde_json::from_slice(&said)?;
        ensure!(said["installedBy"] == installed_by, "{shown}: {said} does not say {installed_by:?}");
        ensure!(said["version"] == VERSION, "{shown}: {said} has another version");
        println!("installed and ran: {shown}");
        Ok(())
    }

    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.place.join(name);
        fs::create_dir(&folder)?;
        Ok(folder)
    }
}

/// An empty home and a `PATH` with few programs.
struct Environment {
    folder: tempfile::TempDir,
}

impl Environment {
    fn new(place: &Path, more: &[PathBuf]) -> Result<Self> {
        let folder = tempfile::tempdir_in(place)?;
        for name in ["home", "bin"] {
            fs::create_dir(folder.path().join(name))?;
        }
        let present = PRESENT.iter().filter_map(|name| find(name));
        for program in present.chain(more.iter().cloned()) {
            let name = program.file_name().context("a program without a name")?;
            symlink(&program, folder.path().join("bin").join(name))?;
        }
        Ok(Self { folder })
    }

    /// Prepares a program by its path, or by the name that it has in this environment.
    fn start(&self, program: impl AsRef<Path>) -> Result<Command> {
        let program = program.as_ref();
        let (bin, home) = (self.folder.path().join("bin"), self.folder.path().join("home"));
        let mut command =
            start(if program.is_absolute() { program.to_path_buf() } else { bin.join(program) });
        command.env_clear().env("HOME", &home).env("PATH", bin).current_dir(home);
        Ok(command)
    }
}

/// Returns the path of a program on the `PATH`.
fn find(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
