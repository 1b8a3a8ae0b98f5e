//! A vt100 screen with the program on it. It answers the queries a terminal answers.

use std::{
    io::{Read as _, Write},
    num::NonZero,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::place::Place;

/// A test that waits longer has failed.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Answers: synchronized output, a dark background, a terminal that does not wrap rows again, device attributes.
const ANSWERS: [(&str, &str); 4] = [
    ("\x1b[?2026$p", "\x1b[?2026;2$y"),
    ("\x1b]11;?\x1b\\", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"),
    ("\x1b[>0q", "\x1bP>|XTerm(390)\x1b\\"),
    ("\x1b[c", "\x1b[?62;22c"),
];

pub(super) struct Screen {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    pieces: Receiver<Vec<u8>>,
    vt: vt100::Parser,
    /// Everything the program wrote.
    pub(super) bytes: Vec<u8>,
    answered: usize,
    pub(super) master: Box<dyn MasterPty + Send>,
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

impl Screen {
    pub(super) fn start(place: &Place, args: &[&str], rows: u16, columns: u16) -> Self {
        Self::start_with(place, args, rows, columns, &[])
    }

    pub(super) fn start_with(
        place: &Place,
        args: &[&str],
        rows: u16,
        columns: u16,
        variables: &[(&str, &str)],
    ) -> Self {
        let pair = native_pty_system().openpty(size(rows, columns)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_toolsmith"));
        command.args(args);
        command.cwd(place.path("project"));
        command.env_clear();
        for (name, value) in place.variables() {
            command.env(name, value);
        }
        command.env("TERM", "xterm-256color");
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut output = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, pieces) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let vt = vt100::Parser::new(cells(rows), cells(columns), 20_000);
        Self { child, keys, pieces, vt, bytes: Vec::new(), answered: 0, master: pair.master }
    }

    fn take(&mut self, piece: &[u8]) {
        self.vt.process(piece);
        self.bytes.extend_from_slice(piece);
        let new = String::from_utf8_lossy(&self.bytes[self.answered..]).into_owned();
        for (query, answer) in ANSWERS {
            if new.contains(query) {
                self.answered = self.bytes.len();
                // The program may have ended.
                let _ = self.keys.write_all(answer.as_bytes());
            }
        }
    }

    /// Reads until the condition holds.
    pub(super) fn wait(&mut self, what: &str, condition: impl Fn(&str) -> bool) {
        // The screen may be animated, so each wait has an end of its own.
        let end = Instant::now() + TIMEOUT;
        while !condition(&self.contents()) {
            match self.pieces.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(piece) => self.take(&piece),
                Err(error) => panic!("{what} did not happen ({error}). The screen:\n{}", self.contents()),
            }
        }
    }

    /// Waits until a text is on the screen.
    pub(super) fn wait_for(&mut self, text: &str) {
        self.wait(&format!("{text:?}"), |screen| screen.contains(text));
    }

    /// Waits until a text is no longer on the screen.
    pub(super) fn wait_gone(&mut self, text: &str) {
        self.wait(&format!("the end of {text:?}"), |screen| !screen.contains(text));
    }

    /// Reads for a time; returns the bytes that came.
    pub(super) fn listen(&mut self, time: Duration) -> usize {
        let before = self.bytes.len();
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.take(&piece),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.bytes.len() - before
    }

    pub(super) fn keys(&mut self, keys: &str) {
        self.raw_keys(keys.as_bytes());
    }

    /// Types bytes that need not be UTF-8.
    pub(super) fn raw_keys(&mut self, keys: &[u8]) {
        self.keys.write_all(keys).unwrap();
        self.keys.flush().unwrap();
    }

    /// Answers a question, after the pause that keeps typing from being taken as an answer.
    pub(super) fn answer(&mut self, keys: &str) {
        self.listen(Duration::from_millis(800));
        self.keys(keys);
    }

    /// Types a prompt or command, waits until it is in the composer, and sends it.
    pub(super) fn send(&mut self, text: &str) {
        self.keys(text);
        let start: String = text.chars().take(30).collect();
        self.wait_for(&start);
        self.keys("\r");
    }

    pub(super) fn resize(&mut self, rows: u16, columns: u16) {
        self.master.resize(size(rows, columns)).unwrap();
        self.vt.screen_mut().set_size(cells(rows), cells(columns));
    }

    pub(super) fn contents(&self) -> String {
        self.vt.screen().contents()
    }

    pub(super) fn cursor(&self) -> (u16, u16) {
        self.vt.screen().cursor_position()
    }

    /// All rows, scrolled ones first.
    pub(super) fn all(&mut self) -> Vec<String> {
        let (rows, columns) = self.vt.screen().size();
        let screen = self.vt.screen_mut();
        screen.set_scrollback(usize::MAX);
        let scrolled = screen.scrollback();
        let mut all = Vec::new();
        for offset in (1..=scrolled).rev() {
            screen.set_scrollback(offset);
            all.extend(screen.rows(0, columns.get()).next());
        }
        screen.set_scrollback(0);
        all.extend(screen.rows(0, columns.get()).take(rows.get().into()));
        all
    }

    pub(super) fn process(&self) -> i32 {
        self.child.process_id().unwrap().try_into().unwrap()
    }

    pub(super) fn signal(&self, number: i32) {
        let pid = rustix::process::Pid::from_raw(self.process()).unwrap();
        let signal = rustix::process::Signal::from_named_raw(number).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for the end of the program; returns what it wrote since, and its exit code.
    pub(super) fn finish(mut self) -> (String, u32) {
        let before = self.bytes.len();
        loop {
            match self.pieces.recv_timeout(TIMEOUT) {
                Ok(piece) => self.take(&piece),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(error) => panic!("the program did not end ({error}):\n{}", self.contents()),
            }
        }
        let code = self.child.wait().unwrap().exit_code();
        (String::from_utf8_lossy(&self.bytes[before..]).into_owned(), code)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
