//! `toolsmith stats`: what tool calls and models used, from the stored sessions.

mod budgets;
mod show;
mod totals;

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use serde_json::{Value, json};
use toolsmith_agent::session::{RecordedUse, SessionSummary, Sessions, UseReader};
use toolsmith_middleware::budget::DayLedger;

use self::{budgets::States, totals::Totals};
use crate::{arguments::Shared, output::print_json, project::Project};

/// Arguments of `stats`.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArguments {
    /// Kind of the rows.
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    by: By,
    /// Include the sessions of all directories.
    #[arg(long)]
    all: bool,
    /// Include only this session: id prefix or file.
    #[arg(long, value_name = "SESSION", conflicts_with = "all")]
    session: Option<String>,
    /// Include only calls of this tool.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Include only this day and later ones, as 2026-11-17.
    #[arg(long, value_name = "DAY", value_parser = day)]
    since: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum By {
    /// One row for each tool.
    #[default]
    Tool,
    /// One row for each session.
    Session,
    /// One row for each day, in local time.
    Day,
}

impl By {
    fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Session => "session",
            Self::Day => "day",
        }
    }
}

/// A row: its name, a description, and its sums.
struct StatsRow {
    name: String,
    about: Option<String>,
    totals: Totals,
}

fn day(text: &str) -> Result<String, String> {
    let is_day = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if is_day { Ok(text.to_owned()) } else { Err("expected a day such as 2026-11-17".to_owned()) }
}

pub(crate) fn run(shared: &Shared, own: &StatsArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let sessions = Sessions::at(project.home.toolsmith());
    let found = found_sessions(&sessions, own, &project.cwd)?;
    let (rows, total) = collect(own, &found)?;
    let session = own.session.is_some().then(|| total.used());
    let ledger = DayLedger::at(toolsmith::usage_folder(&project.home));
    let budgets = States::read(&project.loaded.settings.budget.budgets(), &ledger, session);
    if shared.json {
        let list: Vec<Value> = rows.iter().map(row_json).collect();
        let total = Value::Object(total.to_json());
        let (by, budgets) = (own.by.as_str(), budgets.to_json());
        print_json(&json!({
            "by": by, "sessions": found.len(), "rows": list, "total": total, "budgets": budgets,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    match rows.is_empty() {
        true => show::nothing(found.len(), own.all)?,
        false => show::table(own.by, &rows, &total, found.len())?,
    }
    budgets.show()?;
    Ok(ExitCode::SUCCESS)
}

fn row_json(row: &StatsRow) -> Value {
    let mut object = row.totals.to_json();
    object.insert("name".to_owned(), row.name.as_str().into());
    if let Some(about) = &row.about {
        object.insert("about".to_owned(), about.as_str().into());
    }
    Value::Object(object)
}

/// The sessions to read, oldest first, so that an entry that was copied counts for the session it was made in.
fn found_sessions(sessions: &Sessions, own: &StatsArguments, cwd: &Path) -> Result<Vec<SessionSummary>> {
    let mut found = match &own.session {
        Some(session) => {
            let path = sessions.find(session, cwd)?;
            let summary = sessions.summary(&path);
            vec![summary.with_context(|| format!("{} is not a session", path.display()))?]
        }
        None if own.all => sessions.list_all()?,
        None => sessions.list(cwd)?,
    };
    found.sort_by(|a, b| a.created.cmp(&b.created));
    Ok(found)
}

fn collect(own: &StatsArguments, found: &[SessionSummary]) -> Result<(Vec<StatsRow>, Totals)> {
    let mut reader = UseReader::default();
    let mut rows: BTreeMap<String, StatsRow> = BTreeMap::new();
    let mut total = Totals::default();
    for session in found {
        let id: String = session.id.chars().take(8).collect();
        let about = session.name.as_ref().or(session.first_message.as_ref());
        let take = |record: RecordedUse| {
            let (tool, day) = match &record {
                RecordedUse::Call(call) => (Some(call.tool.as_str()), call.day.as_str()),
                RecordedUse::Response(response) => (None, response.day.as_str()),
                _ => return,
            };
            let is_wanted = own.name.as_ref().is_none_or(|name| tool == Some(name.as_str()))
                && own.since.as_ref().is_none_or(|since| day >= since.as_str());
            if !is_wanted {
                return;
            }
            total.add(&record);
            let key = match own.by {
                // A response belongs to no tool.
                By::Tool => tool.map(str::to_owned),
                By::Session => Some(id.clone()),
                By::Day => Some(if day.is_empty() { "unknown" } else { day }.to_owned()),
            };
            if let Some(key) = key {
                let about = if own.by == By::Session { about.cloned() } else { None };
                let new = || StatsRow { name: key.clone(), about, totals: Totals::default() };
                rows.entry(key.clone()).or_insert_with(new).totals.add(&record);
            }
        };
        reader
            .read(&session.path, take)
            .with_context(|| format!("{} cannot be read", session.path.display()))?;
    }
    let mut rows: Vec<StatsRow> = rows.into_values().collect();
    // Days are in order already; of tools and sessions the most expensive come first.
    if own.by != By::Day {
        rows.sort_by_key(|row| std::cmp::Reverse(row.totals.wall_us.value));
    }
    Ok((rows, total))
}
