//! Second processes for tests of sessions: this binary again, in a mode that an environment variable selects.

use std::{
    io::{BufRead as _, Write as _},
    path::Path,
};

use toolsmith_host::exec::{Process, Request, Stdin, spawn};
use toolsmith_llm::Message;
use toolsmith_session::{SessionError, Sessions};

const MODE: &str = "TOOLSMITH_TEST_SESSION_CHILD";
const ARGUMENT: &str = "TOOLSMITH_TEST_SESSION_ARGUMENT";

/// A request for this binary in a mode, below `wrapper` if there is one.
pub(crate) fn child(wrapper: &[&str], mode: &str, argument: &Path) -> Request {
    let own = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let test = ["children::a_child_does_what_it_is_asked", "--exact", "--nocapture", "--test-threads=1"];
    let mut argv: Vec<String> = wrapper.iter().map(|&word| word.to_owned()).collect();
    argv.push(own);
    argv.extend(test.map(str::to_owned));
    Request::new(argv.remove(0))
        .args(argv)
        .env(MODE, mode)
        .env(ARGUMENT, argument.to_str().unwrap())
        .stdin(Stdin::Piped)
}

/// A started child, and what it told so far.
pub(crate) struct Child {
    pub(crate) process: Process,
    told: Vec<u8>,
}

impl Child {
    pub(crate) fn start(request: &Request) -> Self {
        Self { process: spawn(request).unwrap(), told: Vec::new() }
    }

    /// The next line the child tells; `None` at its end.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.told.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.told.drain(..=end).collect();
                let line = String::from_utf8(line).unwrap();
                // The rest is what the test harness prints.
                if let Some((_, told)) = line.trim_end().split_once("CHILD ") {
                    return Some(told.to_owned());
                }
                continue;
            }
            let mut buffer = [0; 4096];
            let read = self.process.stdout.as_mut().unwrap().read(&mut buffer).await.unwrap();
            if read == 0 {
                return None;
            }
            self.told.extend(&buffer[..read]);
        }
    }
}

fn tell(text: impl std::fmt::Display) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "CHILD {text}").unwrap();
    out.flush().unwrap();
}

#[test]
fn a_child_does_what_it_is_asked() {
    let Ok(mode) = std::env::var(MODE) else {
        return;
    };
    let argument = std::path::PathBuf::from(std::env::var_os(ARGUMENT).unwrap());
    match mode.as_str() {
        "hold" => hold(&argument),
        "append" => append(&argument),
        "fill" => fill(&argument),
        "try" => try_once(&argument),
        other => panic!("{other}"),
    }
}

/// Has a session open until its input ends.
fn hold(path: &Path) {
    let session = Sessions::at(path.ancestors().nth(3).unwrap()).open(path).unwrap();
    tell("open");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).unwrap();
    drop(session);
}

/// Appends without end, and tells each id once it is acknowledged.
fn append(home: &Path) {
    let sessions = Sessions::at(home);
    let session = match sessions.open_latest(home).unwrap() {
        Some(session) => session,
        None => sessions.create(home),
    };
    tell(session.file().unwrap().display());
    let sizes = [10, 500, 9000];
    for number in 0.. {
        let text = "x".repeat(sizes[number % sizes.len()]);
        tell(session.append_message(Message::user(text)).unwrap());
    }
}

/// Appends until the disk is full, goes on in memory, makes room, and goes on in the file.
fn fill(home: &Path) {
    let sessions = Sessions::at(home);
    let ballast = home.join("ballast");
    std::fs::write(&ballast, vec![0; 32 << 10]).unwrap();
    let session = sessions.create(home);
    let mut saved = 0;
    let error = loop {
        match session.append_message(Message::user("y".repeat(5000))) {
            Ok(_) => saved += 1,
            Err(error) => break error,
        }
    };
    tell(&error);
    assert!(matches!(&error, SessionError::NotSaved { waiting: 1, .. }), "{error:?}");
    assert_eq!(session.messages().len(), saved + 1, "the session goes on in memory");
    session.append_message(Message::user("in memory")).unwrap_err();
    assert_eq!(session.unsaved(), 2);
    // What is in the file is whole.
    let there = sessions.read(session.file().unwrap()).unwrap();
    assert_eq!((there.len(), there.problems().len()), (saved, 0));
    std::fs::remove_file(ballast).unwrap();
    if session.append_message(Message::user("there is room")).is_ok() {
        assert_eq!(session.unsaved(), 0);
        let there = sessions.read(session.file().unwrap()).unwrap();
        assert_eq!((there.len(), there.problems().len()), (saved + 3, 0));
        tell("saved after all");
    } else {
        tell("still full");
    }
}

/// Tries to say something, tells how that went, and that the session can be used.
fn try_once(home: &Path) {
    let session = Sessions::at(home).create(home);
    match session.append_message(Message::user("hello")) {
        Ok(_) => tell("saved"),
        Err(error) => tell(error),
    }
    tell(format!("{} in memory, {} unsaved", session.messages().len(), session.unsaved()));
}
