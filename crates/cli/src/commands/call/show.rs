//! Output of a call: updates on standard error, the result on standard output.

use std::{io::Write as _, sync::Arc, time::Duration};

use anyhow::Result;
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle};
use toolsmith_agent::CallOutcome;
use toolsmith_tool::{ContentBlock, Tool, ToolResult, UpdateSink};

use super::preview::Decided;
use crate::{
    failure::{self, Problem},
    interface::TerminalUi,
    output::print_json,
    streams,
    terminal::{self, DIM, paint},
    tool_view::CallView,
};

/// The id of the call; renderers of one call share state by it.
pub(super) const CALL_ID: &str = "call";
/// Shortest time between two drawings.
const REDRAW: Duration = Duration::from_millis(100);

/// Shows updates. If an update extends the previous one, only the new part is shown.
pub(super) fn updates(as_json: bool) -> UpdateSink {
    let mut last = String::new();
    UpdateSink::new(move |partial: ToolResult| {
        if as_json {
            let line = streams::safe_json(&json!({ "update": partial }).to_string());
            let _ = writeln!(streams::stderr(), "{line}");
            return;
        }
        let text = plain(&partial);
        let new = text.strip_prefix(last.as_str()).unwrap_or(&text).trim_matches('\n').to_owned();
        if !new.is_empty() {
            let _ = writeln!(streams::stderr(), "{}", paint(DIM, toolsmith_text::plain(&new)));
        }
        last = text;
    })
}

/// Shows partial results as the tool draws them, over each other.
pub(super) struct LiveView {
    task: JoinHandle<()>,
    terminal: Arc<TerminalUi>,
}

impl LiveView {
    /// Starts, if there is a terminal and the tool draws its calls. Returns the sink for updates.
    pub(super) fn start(
        tool: &Arc<dyn Tool>,
        arguments: &Value,
        terminal: Option<&Arc<TerminalUi>>,
    ) -> Option<(Self, UpdateSink)> {
        let terminal = Arc::clone(terminal.filter(|_| CallView::is_drawn_by_tool(tool))?);
        let (newest, mut updates) = watch::channel(None::<ToolResult>);
        let mut view = CallView::new(Some(Arc::clone(tool)), CALL_ID, &tool.spec().name, arguments.clone());
        let screen = Arc::clone(&terminal);
        let task = tokio::spawn(async move {
            loop {
                let columns = terminal::error_width().unwrap_or(80).max(20);
                screen.show_live(view.rows(columns, true).await);
                tokio::time::sleep(REDRAW).await;
                if updates.changed().await.is_err() {
                    return;
                }
                if let Some(partial) = updates.borrow_and_update().clone() {
                    view.update(partial);
                }
            }
        });
        Some((Self { task, terminal }, UpdateSink::new(move |partial| drop(newest.send(Some(partial))))))
    }

    /// Ends and removes the view.
    pub(super) fn end(self) {
        self.task.abort();
        self.terminal.show_live(Vec::new());
    }
}

/// Formats the result as text; images are shown by their size.
fn plain(result: &ToolResult) -> String {
    let blocks = result.content.iter().map(|block| match block {
        ContentBlock::Text { text } => text.clone(),
        ContentBlock::Image { data, mime_type } => {
            // Four characters of base64 are three bytes.
            format!("[image {mime_type}, {} bytes]", data.trim_end_matches('=').len() * 3 / 4)
        }
        _ => "[unsupported content]".to_owned(),
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Prints the result: rendered by the tool on a terminal, as text elsewhere. An error goes to standard error.
pub(super) async fn result(tool: &Arc<dyn Tool>, outcome: &CallOutcome) -> Result<()> {
    if let Some(width) = terminal::output_width().filter(|_| CallView::is_drawn_by_tool(tool)) {
        let arguments = outcome.arguments.clone().unwrap_or(Value::Null);
        let mut view = CallView::new(Some(Arc::clone(tool)), CALL_ID, &tool.spec().name, arguments);
        view.finish(outcome.result.clone(), outcome.is_error(), outcome.duration);
        let mut out = streams::stdout();
        for row in view.rows(width, true).await {
            out.row(&row)?;
        }
        return Ok(());
    }
    let text = plain(&outcome.result);
    // The last line always ends with a line end.
    let text = text.strip_suffix('\n').unwrap_or(&text);
    if outcome.is_error() {
        failure::failed(&Problem::failed(text).into(), false);
    } else if !text.is_empty() {
        writeln!(streams::stdout(), "{}", toolsmith_text::plain(text))?;
    }
    Ok(())
}

/// Prints the outcome of previews.
pub(super) fn decisions(decisions: &[Decided]) -> Result<()> {
    for decided in decisions {
        match &decided.outcome {
            Some(Ok(result)) if !result.is_error => {
                writeln!(streams::stdout(), "{}", toolsmith_text::plain(&plain(result)))?;
            }
            Some(Ok(result)) => {
                failure::failed(&Problem::failed(plain(result)).into(), false);
            }
            Some(Err(error)) => {
                failure::failed(&Problem::failed(error.to_string()).into(), false);
            }
            None => {
                let what = format!("The preview was not applied: {}", decided.label());
                let hint = "Nothing was changed. Call again with --apply or --discard.";
                failure::failed(&Problem::failed(what).hint(hint).into(), false);
            }
        }
    }
    Ok(())
}

/// Returns the raw result, with the outcome of previews if there were any.
pub(super) fn raw(outcome: &CallOutcome, decisions: &[Decided]) -> Result<()> {
    let mut value = json!(outcome.result);
    if let (Some(object), Some(metrics)) = (value.as_object_mut(), &outcome.metrics) {
        object.insert("metrics".to_owned(), json!(metrics));
    }
    if let Some(object) = value.as_object_mut().filter(|_| !decisions.is_empty()) {
        object.insert("pending".to_owned(), decisions.iter().map(Decided::to_json).collect());
    }
    print_json(&value)?;
    Ok(())
}
