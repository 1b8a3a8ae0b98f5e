//! The install script, and installing every artifact into an empty environment to run the program.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::{
    Built, VERSION, archive, capture,
    environment::{Environment, Runner, find},
    npm, start, wheel,
};

const SCRIPT: &str = include_str!("install.sh");

pub(super) fn write_script(to: &Path) -> Result<()> {
    Ok(fs::write(to.join("install.sh"), SCRIPT.replace("VERSION", VERSION))?)
}

/// Installs each artifact, runs the demo, and has the program say how it was installed. Programs for other systems run by an
/// emulator or in Wine.
pub(super) fn check(built: &[Built], artifacts: &Path) -> Result<()> {
    for built in built {
        let place = tempfile::tempdir()?;
        let Some(runner) = Runner::find(&built.target, place.path())? else { continue };
        println!("installing for {}", built.target.triple);
        let check = Check { runner, place: place.path(), artifacts, built };
        check.archive()?;
        check.script()?;
        check.debian()?;
        check.npm()?;
        check.wheel()?;
        if check.runner.is_this_machine() {
            check.refuses_damage()?;
            check.npm_without_program()?;
        }
    }
    Ok(())
}

struct Check<'a> {
    runner: Runner,
    place: &'a Path,
    artifacts: &'a Path,
    built: &'a Built,
}

impl Check<'_> {
    fn archive(&self) -> Result<()> {
        let unpacked = self.folder("archive")?;
        let archive = self.artifacts.join(archive::file_name(self.built));
        match self.built.target.names.archive {
            "zip" => capture(start("python3").args(["-m", "zipfile", "-e"]).arg(archive).arg(&unpacked))?,
            _ => capture(start("tar").arg("xzf").arg(archive).arg("-C").arg(&unpacked))?,
        };
        let program = unpacked.join(archive::name(self.built)).join(self.built.target.names.program);
        self.try_out("an archive", &program, &[])
    }

    fn script(&self) -> Result<()> {
        if self.built.target.names.npm_os == "win32" {
            return Ok(());
        }
        let installed = self.folder("script")?;
        let environment = Environment::new(self.place, &[])?;
        if !self.runner.is_this_machine() {
            let machine = self.built.target.triple.split('-').next().unwrap_or_default();
            let uname = format!("#!/bin/sh\n[ \"$1\" = -s ] && echo Linux || echo {machine}\n");
            environment.replace("uname", &uname)?;
        }
        capture(environment.start("sh").arg(self.artifacts.join("install.sh")).arg(&installed))?;
        self.try_out("an archive", &installed.join("toolsmith"), &[])
    }

    /// The install script must not install an archive with another checksum.
    fn refuses_damage(&self) -> Result<()> {
        let place = self.folder("damaged")?;
        for name in ["install.sh", "SHA256SUMS"] {
            fs::copy(self.artifacts.join(name), place.join(name))?;
        }
        let archive = archive::file_name(self.built);
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
        let Some(architecture) = self.built.target.names.debian else { return Ok(()) };
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
        if !self.runner.is_this_machine() {
            install.arg("--force-architecture");
        }
        capture(install.arg("--install").arg(package))?;
        // The list of files is where the program looks for it only in a real system.
        ensure!(root.join("var/lib/dpkg/info/toolsmith.list").exists(), "dpkg did not register the package");
        self.try_out("an archive", &root.join("usr/bin/toolsmith"), &[])
    }

    /// Installs the launcher and the program. Node runs the launcher for this machine only, so other programs are started directly.
    fn npm(&self) -> Result<()> {
        let Some(node) = find("node").filter(|_| find("npm").is_some()) else {
            println!("skipped: the npm package (needs node and npm)");
            return Ok(());
        };
        let project = self.folder("npm")?;
        self.npm_install(&project, &npm::files(self.built.target))?;
        let program = match self.runner {
            Runner::ThisMachine => project.join("node_modules/.bin/toolsmith"),
            _ => project.join(npm::installed_program(self.built.target)),
        };
        self.try_out("npm", &program, &[node])
    }

    /// The launcher alone, as on a system that has no package.
    fn npm_without_program(&self) -> Result<()> {
        let Some(node) = find("node").filter(|_| find("npm").is_some()) else { return Ok(()) };
        let project = self.folder("launcher")?;
        self.npm_install(&project, &npm::files(self.built.target)[..1])?;
        let environment = Environment::new(self.place, &[node])?;
        let failed = environment.start(project.join("node_modules/.bin/toolsmith")).arg("demo").output()?;
        let text = String::from_utf8_lossy(&failed.stderr).into_owned();
        ensure!(failed.status.code() == Some(1) && text.contains("is not installed"), "npm launcher: {text}");
        println!("refused: the npm package without its program");
        Ok(())
    }

    fn npm_install(&self, project: &Path, files: &[String]) -> Result<()> {
        let files = files.iter().map(|name| self.artifacts.join(name));
        let names = self.built.target.names;
        let system = [format!("--os={}", names.npm_os), format!("--cpu={}", names.npm_cpu)];
        let install = ["install", "--offline", "--no-audit", "--no-fund", "--no-save"];
        // npm looks upward for a project.
        fs::write(project.join("package.json"), "{}\n")?;
        let mut npm = start("npm");
        npm.args(install).args(system).args(files).current_dir(project).env("HOME", self.place);
        if !self.runner.is_this_machine() {
            // npm installs packages for another system only if it is forced to.
            npm.arg("--force");
        }
        capture(&mut npm).map(drop)
    }

    fn wheel(&self) -> Result<()> {
        let environment = self.place.join("venv");
        let mut make = start("python3");
        if !make.args(["-m", "venv"]).arg(&environment).output().is_ok_and(|made| made.status.success()) {
            println!("skipped: the Python wheel (needs python3 with venv)");
            return Ok(());
        }
        let wheel = self.artifacts.join(wheel::file_name(self.built));
        let mut pip = start(environment.join("bin/pip"));
        pip.args(["install", "--no-index"]).arg(wheel);
        if self.runner.is_this_machine() {
            capture(&mut pip)?;
            return self.try_out("pip", &environment.join("bin/toolsmith"), &[]);
        }
        // pip installs for another system only into a folder that is no environment.
        let folder = self.place.join("wheel");
        let platform = self.built.target.names.wheel.split('.').next().unwrap_or_default();
        pip.args(["--only-binary=:all:", "--platform", platform, "--target"]).arg(&folder);
        capture(&mut pip)?;
        self.try_out("pip", &folder.join("bin").join(self.built.target.names.program), &[])
    }

    /// Runs the demo, and has the program say how it was installed.
    fn try_out(&self, installed_by: &str, program: &Path, more: &[PathBuf]) -> Result<()> {
        let environment = Environment::new(self.place, more)?;
        let shown = program.strip_prefix(self.place).unwrap_or(program).display();
        capture(self.runner.start(&environment, program).arg("demo"))
            .with_context(|| format!("{shown}: the demo failed"))?;
        let said = capture(self.runner.start(&environment, program).args(["update", "--json"]))?;
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
