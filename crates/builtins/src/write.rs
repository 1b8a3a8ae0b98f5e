//! `write`: a whole file.

use std::{fs, path::Path, sync::Arc};

use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_host::regular_file::read_real;
use toolsmith_tool::{
    Approval, Concurrency, Place, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec,
    async_trait,
};

use super::{arguments, metered, path_argument};
use crate::files::{LineEnding, Workspace, diff};

/// Larger files are replaced without looking at what was there.
const MAX_COMPARED: u64 = 4 << 20;
const BOM: char = '\u{feff}';

pub(super) struct Write {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    content: String,
}

impl Write {
    pub(super) fn new(workspace: Arc<Workspace>) -> Self {
        let spec = ToolSpec::new("write", "Create a file or replace all of it; folders are made as needed.")
            .label("Write")
            .approval(Tier::Write)
            .concurrency(Concurrency::Exclusive)
            .parameters(json!({
                "type": "object",
                "properties": { "path": { "type": "string" }, "content": { "type": "string" } },
                "required": ["path", "content"],
            }));
        Self { spec, workspace }
    }
}

#[async_trait]
impl Tool for Write {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn approval(&self, arguments: &Value) -> Approval {
        self.workspace.change_approval("write", path_argument(arguments))
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        vec![self.workspace.place(path_argument(arguments))]
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        let content = arguments.get("content").and_then(Value::as_str).unwrap_or_default();
        let mut lines = self.workspace.file_lines(path_argument(arguments));
        lines.push(format!("{} lines, {} bytes:", content.lines().count(), content.len()));
        lines.push(content.to_owned());
        Some(lines)
    }

    async fn details_are_complete(&self, _arguments: &Value) -> bool {
        true
    }

    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        let wanted: Arguments = arguments(call.arguments)?;
        let workspace = Arc::clone(&self.workspace);
        let (cancel, meter) = (ctx.cancel.clone(), ctx.meter.clone());
        metered(&cancel, &meter, move |_| write(&workspace, &wanted, &ctx)).await
    }
}

fn write(workspace: &Workspace, wanted: &Arguments, context: &ToolContext) -> Result<ToolResult, ToolError> {
    let target = workspace.target(&wanted.path, context)?;
    let shown = workspace.show(&target.path);
    let old = old_text(&target.real);
    context.meter.add_read(old.as_ref().map_or(0, String::len));
    let is_new = fs::metadata(&target.real).is_err();
    let content = as_before(&wanted.content, old.as_deref());
    let saved = workspace.change("write", &target, content.as_bytes(), None, context)?;
    let lines = content.lines().count();
    let what = if is_new { "Created" } else { "Replaced" };
    let kept = if content == wanted.content { "" } else { " (line ends kept as they were)" };
    let mut details = json!({ "path": shown, "created": is_new });
    if let Some(old) = old {
        details["diff"] = json!(diff(&shown, &old, &content).diff);
    }
    let text = format!("{what} {shown}: {lines} lines, {} bytes{kept}", content.len());
    Ok(ToolResult::text(saved.text(text)).with_details(details))
}

/// Reads the current text, if there is one that is small enough to compare.
fn old_text(path: &Path) -> Option<String> {
    String::from_utf8(read_real(path, MAX_COMPARED).ok()?).ok()
}

/// The content with the byte order mark and the line ends the file had. Models write bare newlines whatever they read.
fn as_before(content: &str, old: Option<&str>) -> String {
    let Some(old) = old else {
        return content.to_owned();
    };
    let mut text = match LineEnding::of(old) {
        Some(LineEnding::CrLf) if !content.contains("\r\n") => LineEnding::CrLf.apply(content),
        _ => content.to_owned(),
    };
    if old.starts_with(BOM) && !text.starts_with(BOM) {
        text.insert(0, BOM);
    }
    text
}
