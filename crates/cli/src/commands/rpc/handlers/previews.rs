//! Handlers for the user's decisions: pending actions and undo (CONTRACT 8.6).

use std::sync::Arc;

use serde_json::json;
use toolsmith_agent::PendingChoice;
use toolsmith_host::changes::{FilePreview, PastChange};
use toolsmith_tool::{FileSelection, ToolContext, ToolError, ToolResult};

use super::{
    super::{
        driver::Driver,
        reply::{Change, Changes, Decided, PendingActions, PendingFiles, PreviewedFile, Undone},
    },
    Outcome, data, tools,
};

const REASON: &str = "decided by the user";

fn choice(id: Option<u64>) -> PendingChoice {
    id.map_or(PendingChoice::Top, PendingChoice::Id)
}

fn context(driver: &Arc<Driver>) -> ToolContext {
    driver.session.agent().tool_context().with_cancel(driver.ending.child())
}

pub(super) fn list(driver: &Arc<Driver>) -> Outcome {
    let actions = driver.session.pending().list();
    data(PendingActions { actions: actions.iter().map(|action| json!(action)).collect() })
}

pub(super) async fn view(driver: &Arc<Driver>, id: Option<u64>) -> Outcome {
    let files = driver.session.pending().view(choice(id)).await.map_err(|error| error.to_string())?;
    data(PendingFiles { files: files.iter().map(previewed).collect() })
}

fn previewed(file: &FilePreview) -> PreviewedFile {
    PreviewedFile {
        path: file.path.display().to_string(),
        is_new: file.is_new,
        is_deleted: file.is_deleted,
        is_binary: file.is_binary,
        added: file.added,
        removed: file.removed,
        diff: file.diff_text(),
    }
}

pub(super) async fn apply(
    driver: &Arc<Driver>,
    id: Option<u64>,
    files: Option<Vec<String>>,
    reason: Option<&str>,
) -> Outcome {
    let files = files.map(|files| files.into_iter().map(FileSelection::whole).collect());
    driver.session.refresh_trust().await;
    let pending = driver.session.pending();
    decided(driver, pending.apply(choice(id), files, reason.unwrap_or(REASON), context(driver)).await)
}

pub(super) async fn discard(driver: &Arc<Driver>, id: Option<u64>, reason: Option<&str>) -> Outcome {
    driver.session.refresh_trust().await;
    let pending = driver.session.pending();
    decided(driver, pending.discard(choice(id), reason.unwrap_or(REASON), context(driver)).await)
}

fn decided(driver: &Arc<Driver>, outcome: Result<ToolResult, ToolError>) -> Outcome {
    let result = outcome.map_err(|error| error.to_string())?;
    data(Decided {
        result: tools::given(&result),
        is_error: result.is_error,
        pending_actions: driver.session.pending().list().len(),
    })
}

pub(super) async fn changes(driver: &Arc<Driver>) -> Outcome {
    let changes = driver.session.changes().await.map_err(|error| error.to_string())?;
    data(Changes { changes: changes.iter().map(change).collect() })
}

pub(super) async fn undo(driver: &Arc<Driver>, id: Option<&str>) -> Outcome {
    let undone = driver.session.undo(id).await.map_err(|error| error.to_string())?;
    data(Undone { change: change(&undone) })
}

fn change(past: &PastChange) -> Change {
    let entry = &past.entry;
    Change {
        id: entry.id.clone(),
        time: entry.time.clone(),
        tool: entry.tool.clone(),
        label: entry.label.clone(),
        files: entry.files.iter().map(|file| file.path.display().to_string()).collect(),
        undone: past.is_undone,
    }
}
