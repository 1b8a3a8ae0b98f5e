//! `toolsmith sessions`: lists, shows, exports and removes stored sessions.

use std::{
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, Result, bail};
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};
use toolsmith::Home;
use toolsmith_agent::session::{SessionLog, SessionSummary, Sessions};
use toolsmith_tool::{Name, SessionView, visible_line};

use toolsmith_text::plain;

use crate::{
    arguments::Shared,
    output::{cut, lossy, print_json, write_file},
    terminal,
};

/// Arguments of `sessions`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionsArguments {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the sessions of the working directory, most recent first (default).
    List {
        /// List the sessions of all directories.
        #[arg(long)]
        all: bool,
    },
    /// Print a session as Markdown.
    Show {
        /// Id prefix or file.
        session: String,
        /// Print the whole tree in short instead of the current branch in full.
        #[arg(long)]
        tree: bool,
    },
    /// Export a session as HTML or Markdown.
    Export {
        /// Id prefix or file; also a session file of pi, oh-my-pi or xcsh.
        session: String,
        /// Output file; `-` for standard output (default: a file in the working directory named after the session).
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Format (default: by file extension).
        #[arg(long, value_enum)]
        format: Option<Format>,
        /// Overwrite an existing file.
        #[arg(long)]
        force: bool,
    },
    /// Remove sessions and their artifacts permanently.
    Rm {
        /// Id prefix or file.
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
    let sessions = Sessions::at(Home::from_environment()?.toolsmith());
    let cwd = match &shared.cwd {
        Some(cwd) => cwd.clone(),
        None => std::env::current_dir().context("could not determine the working directory")?,
    };
    match &own.what {
        None => list(shared, &sessions, &cwd, false)?,
        Some(What::List { all }) => list(shared, &sessions, &cwd, *all)?,
        Some(What::Show { session, tree }) => {
            let session = sessions.read(&sessions.find(session, &cwd)?)?;
            if *tree { show_tree(shared, &session)? } else { show(shared, &session)? }
        }
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
    let mut out = crate::streams::stdout();
    if shared.json {
        let list: Vec<Value> = found.iter().map(summary_json).collect();
        print_json(&json!({ "sessions": list }))?;
        return Ok(());
    }
    if found.is_empty() {
        let hint = if all { "" } else { " in this directory; --all includes other directories" };
        writeln!(out, "No sessions{hint}.")?;
    }
    let now = SystemTime::now();
    for one in &found {
        let about = one.name.as_deref().or(one.first_message.as_deref()).unwrap_or("(nothing said)");
        let about = cut(about, 70);
        let id: String = one.id.chars().take(8).collect();
        let folder = if all { format!("  {}", Name(one.cwd.display())) } else { String::new() };
        let row = format!("{id}  {:>8}  {about}{folder}", ago(now, one.modified));
        writeln!(out, "{}", cut(&row, terminal::output_width().unwrap_or(usize::MAX)))?;
    }
    Ok(())
}

fn summary_json(one: &SessionSummary) -> Value {
    let since = one.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    json!({
        "id": one.id,
        "path": one.path.to_string_lossy(),
        "cwd": one.cwd.to_string_lossy(),
        "created": one.created,
        "modifiedMs": u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        "bytes": one.bytes,
        "name": one.name,
        "parentSession": one.parent_session,
        "firstMessage": one.first_message,
        "lastMessage": one.last_message,
    })
}

/// Formats an age in the largest unit that is not zero.
fn ago(now: SystemTime, then: SystemTime) -> String {
    let seconds = now.duration_since(then).unwrap_or(Duration::ZERO).as_secs();
    let units = [(86_400, "d"), (3_600, "h"), (60, "min")];
    match units.iter().find(|(length, _)| seconds >= *length) {
        Some((length, unit)) => format!("{} {unit}", seconds / length),
        None => "now".to_owned(),
    }
}

fn show(shared: &Shared, session: &SessionLog) -> Result<()> {
    let mut out = crate::streams::stdout();
    if shared.json {
        let told = json!({
            "header": SessionView::header(session),
            "name": session.name(),
            "leafId": session.leaf_id(),
            "usage": SessionView::usage(session),
            "entries": session.branch(None),
            "problems": session.problems(),
        });
        print_json(&told)?;
    } else {
        write!(out, "{}", plain(&session.to_markdown()))?;
    }
    Ok(())
}

/// Prints one entry per line: those on the path to the leaf are marked, and branches are indented.
fn show_tree(shared: &Shared, session: &SessionLog) -> Result<()> {
    let rows = session.outline();
    let mut out = crate::streams::stdout();
    if shared.json {
        print_json(&json!({ "leafId": session.leaf_id(), "entries": rows }))?;
        return Ok(());
    }
    let mut following: Vec<Vec<usize>> = vec![Vec::new(); rows.len()];
    let mut beginnings = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        match row.parent.and_then(|parent| following.get_mut(parent)) {
            Some(following) => following.push(at),
            None => beginnings.push(at),
        }
    }
    // Uses a stack instead of recursion, because a conversation is as deep as it is long.
    let mut text = String::new();
    let mut open: Vec<(usize, usize)> = beginnings.into_iter().rev().map(|at| (at, 0)).collect();
    while let Some((at, depth)) = open.pop() {
        let (row, next) = (&rows[at], &following[at]);
        let mark = if row.on_path { '*' } else { ' ' };
        let label = row.label.as_ref().map(|label| format!(" [{}]", visible_line(label))).unwrap_or_default();
        let said = cut(row.text.as_deref().unwrap_or_default(), 70);
        text += &format!(
            "{mark} {}{} {}{label} {said}\n",
            "  ".repeat(depth),
            visible_line(&row.id),
            visible_line(&row.kind)
        );
        let deeper = depth + usize::from(next.len() > 1);
        open.extend(next.iter().rev().map(|next| (*next, deeper)));
    }
    write!(out, "{}", plain(&text))?;
    Ok(())
}

fn export(
    shared: &Shared,
    session: &SessionLog,
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
        crate::streams::stdout().write_all(text.as_bytes())?;
        return Ok(());
    }
    let name: String = session.id().chars().filter(|char| char.is_ascii_alphanumeric()).take(8).collect();
    let path =
        cwd.join(output.map_or_else(|| PathBuf::from(format!("session-{name}.{ending}")), Path::to_path_buf));
    match write_file(&path, &text, force) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} already exists; use --force to overwrite it", path.display())
        }
        written => written.with_context(|| format!("could not write {}", path.display()))?,
    }
    let mut out = crate::streams::stdout();
    if shared.json {
        print_json(&json!({ "path": path.to_string_lossy() }))?;
    } else {
        writeln!(out, "{}", visible_line(&path.display().to_string()))?;
    }
    Ok(())
}

fn remove(shared: &Shared, sessions: &Sessions, given: &[String], cwd: &Path) -> Result<()> {
    // All are resolved before any is removed.
    let paths: Vec<PathBuf> = given.iter().map(|one| sessions.find(one, cwd)).collect::<Result<_, _>>()?;
    for path in &paths {
        sessions.remove(path)?;
    }
    let mut out = crate::streams::stdout();
    if shared.json {
        print_json(&json!({ "removed": lossy(&paths) }))?;
    } else {
        for path in &paths {
            writeln!(out, "Removed {}", visible_line(&path.display().to_string()))?;
        }
    }
    Ok(())
}
