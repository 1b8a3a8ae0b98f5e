//! Handlers for sessions: tree, name, list, and switching.

use std::{sync::Arc, time::SystemTime};

use serde_json::json;
use toolsmith::{OperationError, SessionSwitched};
use toolsmith_agent::session::SessionSummary;

use super::{
    super::{
        driver::Driver,
        reply::{
            BranchMessage, BranchMessages, Exported, ListedSession, SessionInfo, SessionList, TreeRow,
            TreeRows, Went,
        },
        request::ExportFormat,
    },
    Outcome, data,
};
use crate::output::write_file;

pub(super) fn branch_messages(driver: &Arc<Driver>) -> Outcome {
    let messages = driver.session.user_messages().into_iter();
    let messages = messages.map(|said| BranchMessage { entry_id: said.entry_id, text: said.text });
    data(BranchMessages { messages: messages.collect() })
}

pub(super) fn tree(driver: &Arc<Driver>) -> Outcome {
    let rows = driver.session.tree().into_iter().map(|row| TreeRow {
        id: row.id,
        parent: row.parent,
        kind: row.kind,
        text: row.text,
        label: row.label,
        timestamp: row.timestamp,
        on_path: row.on_path,
    });
    data(TreeRows { leaf_id: driver.session.log().leaf_id(), rows: rows.collect() })
}

/// Converts the result of a switch.
pub(super) fn went(driver: &Arc<Driver>, outcome: Result<SessionSwitched, OperationError>) -> Outcome {
    let went = outcome.map_err(|error| error.to_string())?;
    data(Went {
        session: SessionInfo::of(&driver.session),
        text: went.text,
        queued: went.queued.iter().map(|message| json!(message)).collect(),
    })
}

pub(super) fn list(driver: &Arc<Driver>, all: bool) -> Outcome {
    let sessions = driver.setting.sessions();
    let found = if all { sessions.list_all() } else { sessions.list(&driver.setting.cwd) };
    let found = found.map_err(|error| error.to_string())?;
    data(SessionList { sessions: found.into_iter().map(listed).collect() })
}

fn listed(one: SessionSummary) -> ListedSession {
    let since = one.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    ListedSession {
        id: one.id,
        path: one.path.display().to_string(),
        cwd: one.cwd.display().to_string(),
        created: one.created,
        modified_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        name: one.name,
        parent_session: one.parent_session,
        first_message: one.first_message,
        last_message: one.last_message,
    }
}

pub(super) async fn export(
    driver: &Arc<Driver>,
    format: ExportFormat,
    path: Option<&str>,
    overwrite: bool,
) -> Outcome {
    let kept = driver.session.log();
    let path = path.map(|path| driver.setting.cwd.join(path));
    let work = tokio::task::spawn_blocking(move || {
        let text = match format {
            ExportFormat::Html => kept.to_html(),
            ExportFormat::Markdown => kept.to_markdown(),
        };
        let Some(path) = path else {
            return Ok::<_, String>(Exported { path: None, text: Some(text) });
        };
        write_file(&path, &text, overwrite)
            .map_err(|error| format!("could not write {}: {error}", path.display()))?;
        Ok(Exported { path: Some(path.display().to_string()), text: None })
    });
    data(work.await.map_err(|error| format!("it crashed: {error}"))??)
}
