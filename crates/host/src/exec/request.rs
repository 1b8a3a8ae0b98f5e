//! What is to be run: plain data, checked before anything is started.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use toolsmith_tool::Meter;

use super::{error::ExecError, search::PathRule};
use crate::output::OutputLimits;

/// Standard input of the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stdin {
    /// Nothing: its input ends at once.
    #[default]
    Empty,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// Whatever is written to [`super::Process::stdin`].
    Piped,
}

/// Where one of a process's output streams goes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Destination {
    /// To whoever holds the [`super::Process`].
    #[default]
    Piped,
    /// Nowhere.
    Discarded,
    /// Into an open file.
    File(Arc<File>),
}

/// A process to start: a program and its arguments, no shell between.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// A path, or a name looked up in the `PATH` of the process by `path_rule`.
    pub program: String,
    /// The arguments, as they are.
    pub args: Vec<String>,
    /// On Windows the arguments are already quoted, as `cmd.exe` needs it, and are joined by spaces.
    pub verbatim: bool,
    /// `argv[0]`; the program itself if `None`.
    pub arg0: Option<String>,
    /// The working folder; this process's own if `None`.
    pub cwd: Option<PathBuf>,
    /// Changes to the inherited environment; `None` removes a variable.
    pub env: BTreeMap<String, Option<String>>,
    /// Starts from an empty environment.
    pub clear_env: bool,
    /// The entries of `PATH` that count.
    pub path_rule: PathRule,
    /// Standard input.
    pub stdin: Stdin,
    /// Where standard output goes. [`super::run`] reads only what is piped.
    pub stdout: Destination,
    /// Where standard error goes.
    pub stderr: Destination,
    /// It may outlive the [`super::Process`], and this program if that exits. If this program is killed, it is killed too.
    pub detached: bool,
    /// How long [`super::run`] lets it run.
    pub timeout: Option<Duration>,
    /// How long it may take to end after it was asked to.
    pub grace: Duration,
    /// Limits of each output stream.
    pub output: OutputLimits,
    /// Counts the process and what it uses. [`super::run`] also counts what passes through its pipes.
    pub meter: Meter,
}

impl Request {
    /// A program without arguments, in this process's folder and environment.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            verbatim: false,
            arg0: None,
            cwd: None,
            env: BTreeMap::new(),
            clear_env: false,
            path_rule: PathRule::default(),
            stdin: Stdin::Empty,
            stdout: Destination::Piped,
            stderr: Destination::Piped,
            detached: false,
            timeout: None,
            grace: Duration::from_secs(1),
            output: OutputLimits::default(),
            meter: Meter::default(),
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets the working folder.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(key.into(), Some(value.into()));
        self
    }

    /// Sets which entries of `PATH` count.
    #[must_use]
    pub fn path_rule(mut self, rule: PathRule) -> Self {
        self.path_rule = rule;
        self
    }

    /// Sets what it reads.
    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// Sets how long it may run.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how long it may take to end after it was asked to.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets what is kept of each output stream.
    #[must_use]
    pub fn output(mut self, output: OutputLimits) -> Self {
        self.output = output;
        self
    }

    /// Sets the meter of the call that starts it.
    #[must_use]
    pub fn meter(mut self, meter: &Meter) -> Self {
        self.meter = meter.clone();
        self
    }

    /// Returns a variable as the process gets it.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        let is_named = |key: &str| if cfg!(windows) { key.eq_ignore_ascii_case(name) } else { key == name };
        match self.env.iter().rev().find(|(key, _)| is_named(key)) {
            Some((_, value)) => value.as_ref().map(Into::into),
            None if self.clear_env => None,
            None => std::env::var_os(name),
        }
    }

    /// Finds what the system would only report as a bare error number, or not at all.
    pub(super) fn check(&self) -> Result<(), ExecError> {
        let has_nul = |text: &OsStr| text.as_encoded_bytes().contains(&0);
        let nul = |what: String| Err(ExecError::NulByte { what });
        if self.program.is_empty() {
            return Err(ExecError::NoProgram);
        }
        if has_nul(self.program.as_ref()) || self.arg0.as_ref().is_some_and(|name| has_nul(name.as_ref())) {
            return nul("the program's name".to_owned());
        }
        if let Some(index) = self.args.iter().position(|arg| has_nul(arg.as_ref())) {
            return nul(format!("argument {}", index + 1));
        }
        for (key, value) in &self.env {
            if has_nul(key.as_ref()) || value.as_ref().is_some_and(|value| has_nul(value.as_ref())) {
                return nul(format!("the environment variable {:?}", key.replace('\0', "")));
            }
            if key.is_empty() || key.contains('=') {
                return Err(ExecError::BadVariable { name: key.clone() });
            }
        }
        match &self.cwd {
            Some(cwd) if has_nul(cwd.as_os_str()) => nul("the working folder".to_owned()),
            Some(cwd) => check_folder(cwd),
            None => Ok(()),
        }
    }
}

fn check_folder(cwd: &Path) -> Result<(), ExecError> {
    match std::fs::metadata(cwd) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(ExecError::CwdNotAFolder { cwd: cwd.to_path_buf() }),
        Err(source) => Err(ExecError::Cwd { cwd: cwd.to_path_buf(), source }),
    }
}
