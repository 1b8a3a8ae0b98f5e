//! `toolsmith sessions`: the conversations that are kept; list, show, export and remove them.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, Result, bail};
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};
use toolsmith::Home;
use toolsmith_agent::session::{Session, SessionSummary, Sessions};
use toolsmith_tool::SessionView;

use crate::{arguments::Shared, escapes::shown, output::cut, terminal};

/// Options of `sessions`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionsArguments {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the sessions of the working folder, newest first. This is what happens without a command.
    List {
        /// Those of all folders.
        #[arg(long)]
        all: bool,
    },
    /// Print a session as Markdown.
    Show {
        /// The beginning of an id, or a file.
        session: String,
    },
    /// Write a session as a page or as Markdown.
    Export {
        /// The beginning of an id, or a file; also of pi, oh-my-pi and xcsh.
        session: String,
        /// Where to; `-` is standard output. Without it, a file in the working folder named for the session.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// What to write; otherwise the file's ending decides.
        #[arg(long, value_enum)]
        format: Option<Format>,
        /// Write over a file that is there.
        #[arg(long)]
        force: bool,
    },
    /// Remove sessions for good, with their artifacts.
    Rm {
        /// The beginning of an id, or a file.
        #[arg(required = true)]
        sessions: Vec<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Html,
    Markdown,
}

pub(crate) fn run(shared: &Shared, own: &SessionsArguments) -> Result<ExitCode> {
    let sessions = Sessions::at(Home::from_environment().toolsmith());
    let cwd = match &shared.cwd {
        Some(cwd) => cwd.clone(),
        None => std::env::current_dir().context("the working folder is gone")?,
    };
    match &own.what {
        None => list(shared, &sessions, &cwd, false)?,
        Some(What::List { all }) => list(shared, &sessions, &cwd, *all)?,
        Some(What::Show { session }) => show(shared, &sessions.read(&sessions.find(session, &cwd)?)?)?,
        Some(What::Export { session, output, format, force }) => {
            let session = sessions.read(&sessions.find(session, &cwd)?)?;
            export(shared, &session, &cwd, output.as_deref(), *format, *force)?;
        }
        Some(What::Rm { sessions: given }) => remove(shared, &sessions, given, &cwd)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(shared: &Shared, sessions: &Sessions, cwd: &Path, all: bool) -> Result<()> {
    let found = if all { sessions.list_all()? } else { sessions.list(cwd)? };
    let mut out = std::io::stdout().lock();
    if shared.json {
        let list: Vec<Value> = found.iter().map(summary_json).collect();
        writeln!(out, "{:#}", json!({ "sessions": list }))?;
        return Ok(());
    }
    if found.is_empty() {
        let hint = if all { "" } else { " in this folder; --all shows those of other folders" };
        writeln!(out, "No sessions{hint}.")?;
    }
    let now = SystemTime::now();
    for one in &found {
        let about = one.name.as_deref().or(one.first_message.as_deref()).unwrap_or("(nothing said)");
        let about = cut(about, 70);
        let id: String = one.id.chars().take(8).collect();
        let folder = if all { format!("  {}", one.cwd.display()) } else { String::new() };
        let row = format!("{id}  {:>8}  {about}{folder}", ago(now, one.modified));
        writeln!(out, "{}", cut(&row, terminal::output_width().unwrap_or(usize::MAX)))?;
    }
    Ok(())
}

fn summary_json(one: &SessionSummary) -> Value {
    let since = one.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    json!({
        "id": one.id,
        "path": one.path,
        "cwd": one.cwd,
        "created": one.created,
        "modifiedMs": u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        "bytes": one.bytes,
        "name": one.name,
        "parentSession": one.parent_session,
        "firstMessage": one.first_message,
        "lastMessage": one.last_message,
    })
}

/// How long ago, in the largest unit that is not zero.
fn ago(now: SystemTime, then: SystemTime) -> String {
    let seconds = now.duration_since(then).unwrap_or(Duration::ZERO).as_secs();
    let units = [(86_400, "d"), (3_600, "h"), (60, "min")];
    match units.iter().find(|(length, _)| seconds >= *length) {
        Some((length, unit)) => format!("{} {unit}", seconds / length),
        None => "now".to_owned(),
    }
}

fn show(shared: &Shared, session: &Session) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if shared.json {
        let told = json!({
            "header": SessionView::header(session),
            "name": session.name(),
            "leafId": session.leaf_id(),
            "usage": SessionView::usage(session),
            "entries": session.branch(None),
            "problems": session.problems(),
        });
        writeln!(out, "{told:#}")?;
    } else {
        write!(out, "{}", shown(&session.to_markdown(), &std::io::stdout()))?;
    }
    Ok(())
}

fn export(
    shared: &Shared,
    session: &Session,
    cwd: &Path,
    output: Option<&Path>,
    format: Option<Format>,
    force: bool,
) -> Result<()> {
    let by_ending =
        output.and_then(Path::extension).filter(|ending| *ending == "md").map(|_| Format::Markdown);
    let format = format.or(by_ending).unwrap_or(Format::Html);
    let (text, ending) = match format {
        Format::Html => (session.to_html(), "html"),
        Format::Markdown => (session.to_markdown(), "md"),
    };
    if output.is_some_and(|output| output == Path::new("-")) {
        std::io::stdout().lock().write_all(text.as_bytes())?;
        return Ok(());
    }
    let name: String = session.id().chars().filter(|char| char.is_ascii_alphanumeric()).take(8).collect();
    let path =
        cwd.join(output.map_or_else(|| PathBuf::from(format!("session-{name}.{ending}")), Path::to_path_buf));
    let mut options = fs::OpenOptions::new();
    options.write(true).truncate(force).create(force).create_new(!force);
    let mut file = match options.open(&path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} is there already; --force writes over it", path.display())
        }
        opened => opened.with_context(|| format!("could not write {}", path.display()))?,
    };
    file.write_all(text.as_bytes()).with_context(|| format!("could not write {}", path.display()))?;
    let mut out = std::io::stdout().lock();
    if shared.json {
        writeln!(out, "{:#}", json!({ "path": path }))?;
    } else {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

fn remove(shared: &Shared, sessions: &Sessions, given: &[String], cwd: &Path) -> Result<()> {
    // All are found before any is gone.
    let paths: Vec<PathBuf> = given.iter().map(|one| sessions.find(one, cwd)).collect::<Result<_, _>>()?;
    for path in &paths {
        sessions.remove(path)?;
    }
    let mut out = std::io::stdout().lock();
    if shared.json {
        writeln!(out, "{:#}", json!({ "removed": paths }))?;
    } else {
        for path in &paths {
            writeln!(out, "Removed {}", path.display())?;
        }
    }
    Ok(())
}
