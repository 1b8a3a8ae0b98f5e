//! Debian packages.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use anyhow::Result;

use super::{Built, SUMMARY, VERSION, archive::Content, capture, start};

/// Writes `toolsmith_VERSION_ARCH.deb`.
pub(super) fn write(built: &Built, content: &Content, to: &Path) -> Result<()> {
    let Some(architecture) = built.target.names.debian else { return Ok(()) };
    if start("dpkg-deb").arg("--version").output().is_err() {
        println!("skipped: the Debian package for {} (needs dpkg-deb)", built.target.triple);
        return Ok(());
    }
    let place = tempfile::tempdir()?;
    let file = |path: &str, text: &[u8]| {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, text)
    };
    file("usr/bin/toolsmith", &fs::read(&built.program)?)?;
    fs::set_permissions(place.path().join("usr/bin/toolsmith"), fs::Permissions::from_mode(0o755))?;
    file("usr/share/man/man1/toolsmith.1", &content.manual)?;
    for (shell, name, text) in &content.completions {
        let path = match *shell {
            "bash" => "usr/share/bash-completion/completions/toolsmith".to_owned(),
            "zsh" => format!("usr/share/zsh/vendor-completions/{name}"),
            _ => format!("usr/share/fish/vendor_completions.d/{name}"),
        };
        file(&path, text)?;
    }
    for licence in &content.licences {
        let name = licence.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = if name == "LICENSE-MIT" { "copyright".to_owned() } else { name };
        file(&format!("usr/share/doc/toolsmith/{name}"), &fs::read(licence)?)?;
    }
    let size = fs::metadata(&built.program)?.len() >> 10;
    let control = format!(
        "Package: toolsmith\nVersion: {VERSION}\nArchitecture: {architecture}\nMaintainer: The Toolsmith authors\nInstalled-Size: {size}\n\
         Section: devel\nPriority: optional\nDescription: {SUMMARY}\n"
    );
    file("DEBIAN/control", control.as_bytes())?;
    let package = to.join(format!("toolsmith_{VERSION}_{architecture}.deb"));
    let build = ["--build", "--root-owner-group", "-Zgzip"];
    capture(start("dpkg-deb").args(build).arg(place.path()).arg(package)).map(drop)
}
