//! A session in the terminal interface, driven by keys: a tool draws its call, and a staged change is reviewed.

use std::{
    fs,
    io::{Read as _, Write as _},
    num::NonZero,
    path::Path,
    sync::mpsc::{self, RecvTimeoutError},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

const COLUMNS: NonZero<u16> = NonZero::<u16>::MIN.saturating_add(99);
const ROWS: NonZero<u16> = NonZero::<u16>::MIN.saturating_add(33);
/// A step that takes longer has failed.
const STEP: Duration = Duration::from_secs(30);
/// The screen is complete when nothing was written for this long.
const QUIET: Duration = Duration::from_millis(700);

const FILES: &[(&str, &str)] = &[
    ("project/src/user.ts", include_str!("user.ts.txt")),
    ("project/.toolsmith/tools/services.ts", include_str!("services.ts.txt")),
    ("script.json", include_str!("script.json")),
];

/// Runs the session and returns the screen at its end.
pub(super) fn record(program: &Path) -> Result<vt100::Parser> {
    let place = tempfile::tempdir()?;
    for (name, text) in FILES {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        fs::write(path, text)?;
    }
    let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size)?;
    let mut command = CommandBuilder::new(program);
    command.args(["--trust", "--model"]);
    command.arg(format!("script:{}", place.path().join("script.json").display()));
    command.cwd(place.path().join("project"));
    command.env_clear();
    command.env("HOME", place.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let (mut reader, mut writer) = (pair.master.try_clone_reader()?, pair.master.take_writer()?);
    let (send, pieces) = mpsc::channel();
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut piece) {
            if send.send(piece[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
    let wait_for = |text: &str, screen: &mut vt100::Parser| -> Result<()> {
        let end = Instant::now() + STEP;
        // A spinner keeps writing, so the text has to be there for a time.
        let mut since: Option<Instant> = None;
        loop {
            match pieces.recv_timeout(Duration::from_millis(100)) {
                Ok(piece) => screen.process(&piece),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    bail!("the program ended:\n{}", screen.screen().contents())
                }
            }
            match (screen.screen().contents().contains(text), since) {
                (true, Some(since)) if since.elapsed() >= QUIET => return Ok(()),
                (true, None) => since = Some(Instant::now()),
                (true, Some(_)) => {}
                (false, _) => since = None,
            }
            if Instant::now() > end {
                bail!("{text:?} is not on the screen:\n{}", screen.screen().contents());
            }
        }
    };
    let outcome = (|| -> Result<()> {
        wait_for("/help", &mut screen)?;
        writer.write_all(b"Rename getUser to fetchUser\r")?;
        wait_for("discard", &mut screen)
    })();
    // The program is ours; the image needs only its screen.
    let _ = child.kill();
    let _ = child.wait();
    outcome?;
    Ok(screen)
}
