//! The one place that shows errors to the person at the command line: what went wrong, where, why, and what to do. It
//! also says what they mean as exit codes: 1 the job failed, 2 wrong use.

use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
};

use serde_json::{Value, json};
use toolsmith::{
    FoundModule, LoadedTools, ModelError, Session, SessionBuildError, ToolLoadError, Warning,
    settings::SettingsError,
};
use toolsmith_agent::session::SessionError;
use toolsmith_llm::SelectError;

use crate::{
    interrupts::SIGPIPE,
    output::{harmless, indented, one_line},
    project::Project,
    terminal::{DIM, ERROR, HINT, WARNING, paint},
};

/// How many modules that wait for trust an error names.
const MAX_WAITING: usize = 10;

/// How to trust what waits for it.
pub(crate) const TRUST_HINT: &str = "To trust this folder, run `toolsmith trust`; for one file `toolsmith trust PATH`, for one run `--trust`.";

/// An error with what there is to say beside it.
#[derive(Debug, Default)]
pub(crate) struct Problem {
    pub(crate) what: String,
    /// More lines about it, such as a usage.
    pub(crate) more: Option<String>,
    pub(crate) hint: Option<String>,
    pub(crate) code: u8,
}

impl Problem {
    /// The job failed.
    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self { what: what.into(), code: 1, ..Self::default() }
    }

    /// The command was used wrongly.
    pub(crate) fn wrong_use(what: impl Into<String>) -> Self {
        Self { what: what.into(), code: 2, ..Self::default() }
    }

    pub(crate) fn more(mut self, more: impl Into<String>) -> Self {
        self.more = Some(more.into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}

/// Shows why a command failed; with `as_json` on standard output, for whoever reads that.
pub(crate) fn failed(error: &anyhow::Error, as_json: bool) -> ExitCode {
    failed_in(error, as_json, false)
}

/// The same for a command. One with a verdict says something by its exit code, so that a reader who goes away early does not
/// make a success of it.
pub(crate) fn failed_in(error: &anyhow::Error, as_json: bool, has_verdict: bool) -> ExitCode {
    let problem = error.downcast_ref::<Problem>();
    let is_flag = error.downcast_ref::<SettingsError>().is_some();
    let code = problem.map_or(if is_flag { 2 } else { 1 }, |problem| problem.code);
    // Whoever read the output has enough of it: no reason to complain.
    if is_broken_pipe(error) {
        return if has_verdict { ExitCode::from(128 + SIGPIPE) } else { ExitCode::SUCCESS };
    }
    let what = told(error);
    let more = problem.and_then(|problem| problem.more.as_deref());
    let hint = match problem {
        Some(problem) => problem.hint.as_deref(),
        None => hint_of(error),
    };
    if as_json {
        let value = json!({ "error": { "message": what, "more": more, "hint": hint, "exitCode": code } });
        let _ = crate::output::print_json(&value);
        return ExitCode::from(code);
    }
    let mut out = crate::streams::stderr();
    let _ = draw(&mut out, (ERROR, "error"), &what, None, more, hint);
    ExitCode::from(code)
}

/// Returns the hint for an error of the library.
fn hint_of(error: &anyhow::Error) -> Option<&'static str> {
    let session_hint = |error: &SessionError| match error {
        SessionError::NotFound { .. } => Some(
            "`toolsmith sessions list` shows the sessions of this directory; add --all for every directory.",
        ),
        _ => None,
    };
    let built = error.downcast_ref::<SessionBuildError>();
    match built {
        Some(SessionBuildError::Session(error)) => session_hint(error),
        Some(SessionBuildError::Model(ModelError::Select(SelectError::Unknown { .. }))) => Some(
            "`toolsmith doctor` lists available models; PROVIDER/MODEL also selects a model that is not in the catalog.",
        ),
        _ => error.downcast_ref::<SessionError>().and_then(session_hint),
    }
}

/// The error and its causes, without those it has told of already.
pub(crate) fn told(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |told, cause| {
        let cause = cause.to_string();
        match told.as_str() {
            "" => cause,
            said if said.ends_with(&cause) => told,
            _ => format!("{told}: {cause}"),
        }
    })
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The command line could not be read; asking for help or the version is no error.
pub(crate) fn wrong_use(error: &clap::Error) -> ExitCode {
    let mut text = error.render().ansi().to_string();
    // Arguments may come from names of files, and are repeated as they are.
    for word in std::env::args_os().skip(1) {
        let word = word.to_string_lossy();
        let shown = toolsmith_tool::visible_line(&word);
        if shown != word {
            text = text.replace(&*word, &shown);
        }
    }
    let lines = text.strip_suffix('\n').unwrap_or(&text).split('\n');
    let is_error = error.use_stderr();
    for line in lines {
        // Whoever reads it may have enough of it.
        let written = if is_error {
            crate::streams::stderr().rendered(line)
        } else {
            crate::streams::stdout().rendered(line)
        };
        if written.is_err() {
            break;
        }
    }
    if is_error { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// Shows why a module or tool was refused.
pub(crate) fn show_load_error(out: &mut dyn Write, error: &ToolLoadError, stack: bool) -> io::Result<()> {
    let place = match &error.location {
        Some(place) => format!("{place} ({})", error.source_of_path),
        None => format!("{} ({})", error.path.display(), error.source_of_path),
    };
    let mut more = error.frame.clone();
    if let Some(trace) = error.stack.as_ref().filter(|_| stack) {
        more = Some(more.map_or_else(|| trace.clone(), |frame| format!("{frame}\n{trace}")));
    }
    draw(out, (ERROR, "error"), &error.message, Some(&place), more.as_deref(), error.hint.as_deref())
}

/// Formats a load error as JSON.
pub(crate) fn load_error_json(error: &ToolLoadError) -> Value {
    json!({
        "path": error.path.to_string_lossy(),
        "source": crate::output::source_json(&error.source_of_path),
        "message": error.message,
        "file": error.location.as_ref().map(|place| place.file.to_string_lossy()),
        "line": error.location.as_ref().map(|place| place.line),
        "column": error.location.as_ref().map(|place| place.column),
        "frame": error.frame,
        "hint": error.hint,
        "index": error.index,
    })
}

/// Shows something that looks wrong and stops nothing.
pub(crate) fn show_warning(out: &mut dyn Write, warning: &Warning) -> io::Result<()> {
    draw(
        out,
        (WARNING, "warning"),
        &warning.to_string(),
        None,
        warning.frame.as_deref(),
        warning.hint.as_deref(),
    )
}

/// The same for machines.
pub(crate) fn warning_json(warning: &Warning) -> Value {
    json!({
        "path": warning.path.as_ref().map(|path| path.to_string_lossy()),
        "line": warning.place.map(|(line, _)| line),
        "column": warning.place.map(|(_, column)| column),
        "message": warning.message,
        "frame": warning.frame,
        "hint": warning.hint,
    })
}

/// Shows warnings on standard error, where no result is.
pub(crate) fn warn_all<'a>(warnings: impl IntoIterator<Item = &'a Warning>) {
    let mut out = crate::streams::stderr();
    for warning in warnings {
        let _ = show_warning(&mut out, warning);
    }
}

/// Says that a tool is waiting for trust: the module of its name is, or its name is not known and may be of one that is.
pub(crate) fn waiting_for_trust(name: &str, waiting: &[FoundModule], project: &Project) -> Option<Problem> {
    let what = match waiting.iter().find(|module| module.name() == name) {
        Some(module) => format!("\"{name}\" is waiting for trust: {}", project.show(&module.path)),
        None if waiting.is_empty() => return None,
        None => format!(
            "There is no trusted tool \"{name}\"; {} of this folder's modules are waiting for trust",
            waiting.len()
        ),
    };
    let paths = waiting.iter().take(MAX_WAITING).map(|module| project.show(&module.path));
    Some(Problem::failed(what).more(paths.collect::<Vec<_>>().join("\n")).hint(TRUST_HINT))
}

/// Shows what of the custom tools is not there, and why (CONTRACT 2.7, 2.8).
pub(crate) fn warn_about_tools(loaded: &LoadedTools) {
    warn_all(&loaded.warnings);
    let mut out = crate::streams::stderr();
    for error in &loaded.errors {
        let _ = show_load_error(&mut out, error, false);
    }
    for module in &loaded.stale {
        let _ = show_load_error(&mut out, &module.error, false);
        let what = format!("the last working version of {} stays in use", module.path.display());
        let _ = draw(&mut out, (WARNING, "warning"), &what, None, None, None);
    }
    if !loaded.waiting.is_empty() {
        let what = format!("{} of this folder's modules are waiting for trust", loaded.waiting.len());
        let _ = draw(&mut out, (WARNING, "waiting"), &what, None, None, Some(TRUST_HINT));
    }
}

/// Shows registrations of extensions that have no effect (CONTRACT 10.3).
pub(crate) fn warn_about_extensions(session: &Session) {
    warn_all(
        &session.refused_registrations().iter().map(|text| Warning::from_lines(text)).collect::<Vec<_>>(),
    );
}

fn draw(
    out: &mut dyn Write,
    (style, word): (anstyle::Style, &str),
    what: &str,
    place: Option<&str>,
    more: Option<&str>,
    hint: Option<&str>,
) -> io::Result<()> {
    writeln!(out, "{} {}", paint(style, format_args!("{word}:")), indented(what))?;
    if let Some(place) = place {
        writeln!(out, "  {} {}", paint(DIM, "at"), one_line(place))?;
    }
    for line in harmless(more.unwrap_or_default()).lines() {
        let is_marked =
            line.starts_with('>') || line.trim_end().ends_with("| ^") || line.trim_end().ends_with(" ^");
        let shown = if is_marked { line.to_owned() } else { paint(DIM, line) };
        writeln!(out, "    {shown}")?;
    }
    if let Some(hint) = hint {
        writeln!(out, "  {} {}", paint(HINT, "→"), indented(hint))?;
    }
    Ok(())
}
