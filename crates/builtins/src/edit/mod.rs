//! `edit`: several replacements in one file, all or none.

mod closest;
mod find;
mod source;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_tool::{
    Approval, Concurrency, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use self::{
    find::{Place, find},
    source::Source,
};
use super::{arguments, metered, path_argument, read::whole_text};
use crate::files::{Workspace, diff};

pub(super) struct Edit {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    edits: Vec<Replacement>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    old_text: String,
    new_text: String,
    #[serde(default)]
    all: bool,
}

impl Edit {
    pub(super) fn new(workspace: Arc<Workspace>) -> Self {
        let spec = ToolSpec::new(
            "edit",
            "Replace text in a file. Each oldText is taken from the file as it is (without line numbers), is there \
             exactly once unless all is true, and does not overlap another. All edits are made, or none.",
        )
        .label("Edit")
        .approval(Tier::Write)
        .concurrency(Concurrency::Exclusive)
        .parameters(json!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "edits": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "oldText": { "type": "string" },
                            "newText": { "type": "string" },
                            "all": { "type": "boolean", "description": "replace every occurrence" },
                        },
                        "required": ["oldText", "newText"],
                    },
                },
            },
            "required": ["path", "edits"],
        }));
        Self { spec, workspace }
    }
}

#[async_trait]
impl Tool for Edit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn approval(&self, arguments: &Value) -> Approval {
        self.workspace.change_approval("edit", path_argument(arguments))
    }

    async fn places(&self, arguments: &Value) -> Vec<toolsmith_tool::Place> {
        vec![self.workspace.place(path_argument(arguments))]
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        let mut lines = self.workspace.file_lines(path_argument(arguments));
        for edit in arguments.get("edits").and_then(Value::as_array).into_iter().flatten() {
            let text = |key| edit.get(key).and_then(Value::as_str).unwrap_or_default();
            let is_all = edit.get("all").is_some_and(|all| *all == Value::Bool(true));
            lines.push(format!("Replace {}:", if is_all { "every occurrence" } else { "one occurrence" }));
            let (old, new) = (text("oldText"), text("newText"));
            lines.extend(signed("-", old));
            lines.extend(signed("+", new));
            lines.extend(match (old.ends_with('\n'), new.ends_with('\n')) {
                (true, false) => Some("The line end after the old text is removed.".to_owned()),
                (false, true) => Some("A line end is added after the new text.".to_owned()),
                _ => None,
            });
        }
        Some(lines)
    }

    async fn details_are_complete(&self, _arguments: &Value) -> bool {
        true
    }

    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        let wanted: Arguments = arguments(call.arguments)?;
        let workspace = Arc::clone(&self.workspace);
        let (cancel, meter) = (ctx.cancel.clone(), ctx.meter.clone());
        metered(&cancel, &meter, move |_| edit(&workspace, &wanted, &ctx)).await
    }
}

/// Returns the lines of a text, each after a sign. A carriage return stays, so that the question shows it.
fn signed(sign: &str, text: &str) -> impl Iterator<Item = String> {
    text.split_inclusive('\n').map(move |line| format!("{sign} {}", line.strip_suffix('\n').unwrap_or(line)))
}

fn edit(workspace: &Workspace, wanted: &Arguments, context: &ToolContext) -> Result<ToolResult, ToolError> {
    let target = workspace.target(&wanted.path, context)?;
    let shown = workspace.show(&target.path);
    let (text, stamp) = whole_text(workspace, &target)?;
    context.meter.add_read(text.len());
    let source = Source::new(text);
    let mut places: Vec<Place> = Vec::new();
    for (at, edit) in wanted.edits.iter().enumerate() {
        let found = find(source.text(), &edit.old_text, &edit.new_text, edit.all);
        let found = found.map_err(|why| {
            let which = if wanted.edits.len() == 1 { String::new() } else { format!("edits[{at}]: ") };
            ToolError::reply(format!("{which}{}\nNothing was changed in {shown}.", why.tell(&source)))
        })?;
        places.extend(found);
    }
    places.sort_by_key(|place| place.start);
    if let Some(pair) = places.windows(2).find(|pair| pair[1].start < pair[0].end) {
        return Err(ToolError::reply(format!(
            "Two edits overlap at line {}; make them one.\nNothing was changed in {shown}.",
            source.line_at(pair[1].start)
        )));
    }
    let changed = source.replace(&places);
    if changed == source.original() {
        return Err(ToolError::reply(format!(
            "The edits change nothing in {shown}: old and new text are the same."
        )));
    }
    let saved = workspace.change("edit", &target, changed.as_bytes(), Some(stamp), context)?;

    let mut lines: Vec<String> = places.iter().map(|place| source.line_at(place.start).to_string()).collect();
    lines.dedup();
    let more = lines.len().saturating_sub(20);
    lines.truncate(20);
    let lines = lines.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() };
    let loosely = places.iter().any(|place| place.loose);
    let note = if loosely { "; matched up to whitespace, look at the result" } else { "" };
    let noun = if places.len() == 1 { "replacement" } else { "replacements" };
    let text = format!("Edited {shown}: {} {noun} (line {lines}{note})", places.len());
    let difference = diff(&shown, source.original(), &changed);
    let mut details = json!({ "path": shown, "replacements": places.len() });
    if let (Value::Object(details), Ok(Value::Object(more))) =
        (&mut details, serde_json::to_value(difference))
    {
        details.extend(more);
    }
    Ok(ToolResult::text(saved.text(text)).with_details(details))
}
