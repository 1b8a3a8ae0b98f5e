//! `pi.exec` in a case: replayed from a recording, or run and recorded.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use toolsmith_host::exec::{Request, run};
use toolsmith_js::{ExecAnswer, ExecHandler};
use toolsmith_tool::{CWD_MARK, CancelToken, async_trait};

use super::case::Recorded;

/// Commands and their results.
pub(super) struct Tape {
    cwd: String,
    records: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Recordings that were not used yet.
    left: Vec<Recorded>,
    /// Commands that were run while recording.
    taken: Vec<Recorded>,
    /// Commands that have no recording.
    missing: Vec<String>,
}

impl Tape {
    /// Replays `recorded`. Each is used once, in any order.
    pub(super) fn play(cwd: &Path, recorded: &[Recorded]) -> Self {
        Self::new(cwd, false, State { left: recorded.to_vec(), ..State::default() })
    }

    /// Runs commands and records them.
    pub(super) fn record(cwd: &Path) -> Self {
        Self::new(cwd, true, State::default())
    }

    fn new(cwd: &Path, records: bool, state: State) -> Self {
        Self { cwd: cwd.to_string_lossy().into_owned(), records, state: Mutex::new(state) }
    }

    /// Returns the recorded, unused and missing commands.
    pub(super) fn finish(&self) -> (Vec<Recorded>, Vec<String>, Vec<String>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let unused = state.left.iter().map(Recorded::shown).collect();
        (std::mem::take(&mut state.taken), unused, std::mem::take(&mut state.missing))
    }

    fn mark(&self, text: &str) -> String {
        text.replace(&self.cwd, CWD_MARK)
    }

    fn answer(&self, command: &str, args: &[String]) -> Result<ExecAnswer, String> {
        let unmark = |text: &str| text.replace(CWD_MARK, &self.cwd);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |record: &Recorded| record.command == command && record.args == args;
        let Some(at) = state.left.iter().position(fits) else {
            let wanted =
                std::iter::once(command).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
            let message = format!("no recording for: {wanted}");
            state.missing.push(wanted);
            return Err(message);
        };
        let record = state.left.remove(at);
        match record.error {
            Some(error) => Err(unmark(&error)),
            None => Ok(ExecAnswer {
                stdout: unmark(&record.stdout),
                stderr: unmark(&record.stderr),
                code: record.code,
                killed: record.killed,
            }),
        }
    }
}

#[async_trait]
impl ExecHandler for Tape {
    async fn exec(&self, request: &Request, cancel: &CancelToken) -> Result<ExecAnswer, String> {
        let command = self.mark(&request.program);
        let args: Vec<String> = request.args.iter().map(|arg| self.mark(arg)).collect();
        if !self.records {
            return self.answer(&command, &args);
        }
        let answer = match run(request, cancel, |_| {}).await {
            Ok(outcome) => Ok(ExecAnswer::from(&outcome)),
            Err(error) => Err(error.to_string()),
        };
        let told = answer.clone().unwrap_or_default();
        self.state.lock().unwrap_or_else(PoisonError::into_inner).taken.push(Recorded {
            command,
            args,
            stdout: self.mark(&told.stdout),
            stderr: self.mark(&told.stderr),
            code: told.code,
            killed: told.killed,
            error: answer.as_ref().err().map(|error| self.mark(error)),
        });
        answer
    }
}
