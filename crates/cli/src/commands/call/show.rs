//! Output of a call: updates on standard error, the result on standard output.

use std::{io::Write as _, sync::Arc};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith_agent::CallOutcome;
use toolsmith_tool::{ContentBlock, RenderOptions, Tool, ToolResult, UpdateSink};

use super::preview::Decided;
use crate::{
    failure::{self, Problem},
    output::print_json,
    streams,
    terminal::{self, DIM, paint},
};

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
    let arguments = outcome.arguments.clone().unwrap_or(Value::Null);
    if let Some(width) = terminal::output_width() {
        let options = RenderOptions::new(width).expanded(true);
        if let Some(drawn) = tool.render_result(&outcome.result, &options, &arguments).await {
            let mut out = streams::stdout();
            for line in drawn.lines {
                out.rendered(&line)?;
            }
            return Ok(());
        }
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
    if let Some(object) = value.as_object_mut().filter(|_| !decisions.is_empty()) {
        object.insert("pending".to_owned(), decisions.iter().map(Decided::to_json).collect());
    }
    print_json(&value)?;
    Ok(())
}
