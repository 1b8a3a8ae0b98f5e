//! `ls`: lists a directory.

use std::{fs, sync::Arc};

use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_host::blocking::check;
use toolsmith_tool::{
    CancelToken, Keep, Name, Place, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec,
    async_trait,
};

use super::{arguments, metered};
use crate::files::{Target, Workspace};

const DEFAULT_LIMIT: usize = 500;
/// Maximum number of entries read; the result says if there are more.
const MAX_LOOKED_AT: usize = 200_000;

pub(super) struct Ls {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Arguments {
    path: Option<String>,
    limit: Option<usize>,
}

impl Ls {
    pub(super) fn new(workspace: Arc<Workspace>) -> Self {
        let spec = ToolSpec::new("ls", "List a directory: directories end with /, links with -> target.")
            .label("List")
            .approval(Tier::Read)
            .keep(Keep::Head)
            .parameters(json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "limit": { "type": "integer", "minimum": 1, "description": "default 500" },
                },
            }));
        Self { spec, workspace }
    }
}

#[async_trait]
impl Tool for Ls {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        vec![self.workspace.place(arguments["path"].as_str().unwrap_or("."))]
    }

    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        let wanted: Arguments = arguments(call.arguments)?;
        let workspace = Arc::clone(&self.workspace);
        let (cancel, meter) = (ctx.cancel.clone(), ctx.meter.clone());
        metered(&cancel, &meter, move |cancel| {
            let target = workspace.target(wanted.path.as_deref().unwrap_or("."), &ctx)?;
            let path = &target.path;
            let found = fs::metadata(&target.real).map_err(|error| workspace.failed("list", path, &error))?;
            if !found.is_dir() {
                let shown = workspace.show(path);
                return Err(ToolError::reply(format!("{shown} is not a directory; use read for files")));
            }
            list_folder(&workspace, &target, wanted.limit, cancel)
        })
        .await
    }
}

/// Returns the entries by name, including hidden ones.
pub(super) fn list_folder(
    workspace: &Workspace,
    target: &Target,
    limit: Option<usize>,
    cancel: &CancelToken,
) -> Result<ToolResult, ToolError> {
    let path = &target.path;
    let entries = fs::read_dir(&target.real).map_err(|error| workspace.failed("list", path, &error))?;
    let mut names = Vec::new();
    let mut too_many = false;
    for entry in entries {
        check(cancel)?;
        let entry = entry.map_err(|error| workspace.failed("list", path, &error))?;
        if names.len() >= MAX_LOOKED_AT {
            too_many = true;
            break;
        }
        // A name must not pass for several entries.
        let name = Name(entry.file_name().display()).to_string();
        let kind = entry.file_type().ok();
        names.push(match kind {
            Some(kind) if kind.is_dir() => format!("{name}/"),
            Some(kind) if kind.is_symlink() => match fs::read_link(entry.path()) {
                Ok(target) => format!("{name} -> {}", Name(target.display())),
                Err(_) => name,
            },
            _ => name,
        });
    }
    workspace.check_unmoved(target)?;
    names.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
    let count = names.len();
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    names.truncate(limit);
    let mut text = names.join("\n");
    if count == 0 {
        text = format!("{} is empty", workspace.show(path));
    }
    if count > limit || too_many {
        let more = if too_many { "more than " } else { "" };
        text.push_str(&format!("\n[{limit} of {more}{count} entries; raise limit, or use find]"));
    }
    Ok(ToolResult::text(text).with_details(json!({ "path": workspace.show(path), "entries": count })))
}
