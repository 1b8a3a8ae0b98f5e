//! A terminal with the program in it.

use std::{
    io::{Read as _, Write},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::place::Place;

/// A test that waits longer has failed.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The program on a terminal of 80 columns.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    pieces: Receiver<String>,
    seen: String,
    passed: String,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    pub(crate) fn start(place: &Place, args: &[&str]) -> Self {
        Self::start_with(place, args, &[])
    }

    /// The program with further variables.
    pub(crate) fn start_with(place: &Place, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_toolsmith"));
        command.args(args);
        command.cwd(place.path("project"));
        command.env_clear();
        for (name, value) in place.variables() {
            command.env(name, value);
        }
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut screen = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, pieces) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut buffer) {
                if sender.send(String::from_utf8_lossy(&buffer[..count]).into_owned()).is_err() {
                    break;
                }
            }
        });
        Self { child, keys, pieces, seen: String::new(), passed: String::new(), _master: pair.master }
    }

    /// Waits until the text was printed, and forgets what came before its end.
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !self.seen.contains(text) {
            match self.pieces.recv_timeout(TIMEOUT) {
                Ok(piece) => self.seen.push_str(&piece),
                Err(error) => panic!("{text:?} never came ({error}): {}", self.seen),
            }
        }
        let end = self.seen.find(text).unwrap() + text.len();
        self.passed = self.seen.drain(..end).collect();
    }

    /// What the last [`Terminal::wait_for`] forgot.
    pub(crate) fn passed(&self) -> &str {
        &self.passed
    }

    pub(crate) fn type_line(&mut self, text: &str) {
        self.type_keys(&format!("{text}\r"));
    }

    /// Answers a question that allows something, after the time in which nobody can have read it.
    pub(crate) fn answer(&mut self, text: &str) {
        std::thread::sleep(toolsmith_tui::dialog::READING_TIME * 2);
        self.type_line(text);
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the end: what was printed since, and the exit code.
    pub(crate) fn finish(mut self) -> (String, u32) {
        let code = self.child.wait().unwrap().exit_code();
        while let Ok(piece) = self.pieces.recv_timeout(Duration::from_millis(200)) {
            self.seen.push_str(&piece);
        }
        (self.seen, code)
    }
}
