//! `cargo xtask picture [--release]`: runs the program in a pty and draws its screen as the images in the README:
//! `docs/demo.svg` is the end of `toolsmith demo`, `docs/terminal.svg` the interface during a review.

mod interface;
mod picture;
#[cfg(test)]
mod picture_tests;

use std::{fs, io::Read as _, num::NonZero, path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
pub(crate) use picture::escape;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::cargo::{cargo, root};

/// The command, and the line shown for it.
const COMMAND: &str = "toolsmith demo";
const COLUMNS: NonZero<u16> = NonZero::<u16>::MIN.saturating_add(115);
/// Tall enough that nothing scrolls away; empty rows are omitted.
const ROWS: NonZero<u16> = NonZero::<u16>::MIN.saturating_add(199);
/// The demo takes some seconds.
const TIMEOUT: Duration = Duration::from_secs(120);

/// `release` runs the optimised program, whose times users see.
pub(crate) fn run(release: bool) -> Result<()> {
    let mut build = vec!["build", "--quiet", "--package", "toolsmith-cli"];
    build.extend(release.then_some("--release"));
    cargo(&build)?;
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).context("this program is in no build folder")?;
    let program = folder.join(if release { "release" } else { "debug" }).join("toolsmith");
    let bytes = record(&program)?;
    let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
    screen.process(format!("\x1b[2m$\x1b[m {COMMAND}\r\n").as_bytes());
    screen.process(&bytes);
    fs::write(root().join("docs/demo.svg"), picture::draw(screen.screen(), COMMAND)?)?;
    println!("docs/demo.svg is written");
    let screen = interface::record(&program)?;
    fs::write(root().join("docs/terminal.svg"), picture::draw(screen.screen(), "toolsmith")?)?;
    println!("docs/terminal.svg is written");
    Ok(())
}

/// Returns everything the demo prints on a terminal.
fn record(program: &Path) -> Result<Vec<u8>> {
    let home = tempfile::tempdir()?;
    let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size)?;
    let mut command = CommandBuilder::new(program);
    command.arg("demo");
    command.cwd(home.path());
    command.env_clear();
    command.env("HOME", home.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command)?;
    // Only the child has the terminal now, so reading ends with it.
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader()?;
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        // Linux reports the end of a pty as an error.
        while let Ok(count @ 1..) = reader.read(&mut piece) {
            bytes.extend_from_slice(&piece[..count]);
        }
        let _ = send.send(bytes);
    });
    let bytes =
        receive.recv_timeout(TIMEOUT).inspect_err(|_| drop(child.kill())).context("the demo hangs")?;
    ensure!(child.wait()?.success(), "the demo failed:\n{}", String::from_utf8_lossy(&bytes));
    Ok(bytes)
}
