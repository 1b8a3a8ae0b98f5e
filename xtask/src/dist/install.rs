//! The install script, and installing every artifact into an empty environment to run the demo.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};

use super::{Built, VERSION, capture, npm, start, wheel};

const SCRIPT: &str = include_str!("install.sh");

pub(super) fn write_script(to: &Path) -> Result<()> {
    Ok(fs::write(to.join("install.sh"), SCRIPT.replace("VERSION", VERSION))?)
}

/// Installs each artifact for this machine and runs the demo. Nothing but its own tools is on the `PATH`.
pub(super) fn check(built: &Built, artifacts: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let place = place.path();
    let triple = built.target.triple;

    let unpacked = folder(place, "archive")?;
    let archive = format!("toolsmith-{VERSION}-{triple}.tar.gz");
    capture(start("tar").arg("xzf").arg(artifacts.join(&archive)).arg("-C").arg(&unpacked))?;
    demo("archive", &unpacked.join(format!("toolsmith-{VERSION}-{triple}/toolsmith")), place)?;

    let installed = folder(place, "script")?;
    capture(start("sh").arg(artifacts.join("install.sh")).arg(&installed))?;
    demo("install.sh", &installed.join("toolsmith"), place)?;
    refuses_damage(&archive, artifacts, &folder(place, "damaged")?)?;

    let root = folder(place, "deb")?;
    let package = artifacts.join(format!("toolsmith_{VERSION}_{}.deb", built.target.debian));
    if package.exists() {
        capture(start("dpkg-deb").arg("-x").arg(package).arg(&root))?;
        demo("Debian package", &root.join("usr/bin/toolsmith"), place)?;
    }

    let project = folder(place, "npm")?;
    if start("npm").arg("--version").output().is_ok() {
        let files = npm::files(built.target).map(|name| artifacts.join(name));
        let install = ["install", "--offline", "--no-audit", "--no-fund", "--no-save"];
        capture(start("npm").args(install).args(files).current_dir(&project).env("HOME", place))?;
        demo("npm package", &project.join("node_modules/.bin/toolsmith"), place)?;
    } else {
        println!("skipped: the npm package (needs npm)");
    }

    let environment = place.join("venv");
    if start("python3")
        .args(["-m", "venv"])
        .arg(&environment)
        .output()
        .is_ok_and(|made| made.status.success())
    {
        let wheel = artifacts.join(wheel::file_name(built));
        capture(start(environment.join("bin/pip")).args(["install", "--no-index"]).arg(wheel))?;
        demo("Python wheel", &environment.join("bin/toolsmith"), place)?;
    } else {
        println!("skipped: the Python wheel (needs python3 with venv)");
    }
    Ok(())
}

fn folder(place: &Path, name: &str) -> Result<PathBuf> {
    let folder = place.join(name);
    fs::create_dir(&folder)?;
    Ok(folder)
}

/// Runs the demo without the variables of this machine. The npm launcher needs `node`, and tools of the demo need git.
fn demo(what: &str, program: &Path, place: &Path) -> Result<()> {
    let home = tempfile::tempdir_in(place)?;
    let node = capture(start("sh").args(["-c", "command -v node || true"]))?;
    let node = PathBuf::from(String::from_utf8(node)?.trim());
    let node = node.parent().unwrap_or(Path::new("/bin"));
    let path = std::env::join_paths([Path::new("/usr/bin"), Path::new("/bin"), node])?;
    let mut demo = start(program);
    demo.arg("demo").env_clear().env("HOME", home.path()).env("PATH", path).current_dir(home.path());
    capture(&mut demo).with_context(|| format!("the demo of the {what} failed"))?;
    println!("installed and ran: {what}");
    Ok(())
}

/// The install script must not install an archive with another checksum.
fn refuses_damage(archive: &str, artifacts: &Path, place: &Path) -> Result<()> {
    for name in ["install.sh", "SHA256SUMS"] {
        fs::copy(artifacts.join(name), place.join(name))?;
    }
    let mut bytes = fs::read(artifacts.join(archive))?;
    if let Some(byte) = bytes.last_mut() {
        *byte ^= 1;
    }
    fs::write(place.join(archive), bytes)?;
    let refused = start("sh").arg(place.join("install.sh")).arg(place.join("bin")).output()?;
    ensure!(!refused.status.success(), "install.sh installed a damaged archive");
    ensure!(!place.join("bin/toolsmith").exists(), "install.sh left something of a damaged archive");
    Ok(())
}
