//! `find`: finds files by name.

use std::{fs, path::Path, sync::Arc};

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_tool::{
    Keep, Place, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{arguments, metered, walk::walk};
use crate::files::Workspace;

const DEFAULT_LIMIT: usize = 1000;

pub(super) struct Find {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    path: Option<String>,
    limit: Option<usize>,
}

impl Find {
    pub(super) fn new(workspace: Arc<Workspace>) -> Self {
        let spec = ToolSpec::new(
            "find",
            "Find files by glob, e.g. *.rs (a name at any depth) or src/**/test_*.py. Skips git-ignored files.",
        )
        .label("Find")
        .approval(Tier::Read)
        .keep(Keep::Head)
        .parameters(json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string" },
                "path": { "type": "string", "description": "directory to search" },
                "limit": { "type": "integer", "minimum": 1, "description": "default 1000" },
            },
            "required": ["pattern"],
        }));
        Self { spec, workspace }
    }
}

#[async_trait]
impl Tool for Find {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        let text = |key| arguments.get(key).and_then(Value::as_str);
        let folder = text("path").unwrap_or(".");
        let own = divide(folder, text("pattern").unwrap_or_default().trim()).0;
        let mut places = vec![self.workspace.place(folder)];
        if own != folder {
            places.push(self.workspace.place(&own));
        }
        places
    }

    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        let wanted: Arguments = arguments(call.arguments)?;
        let workspace = Arc::clone(&self.workspace);
        let (cancel, meter) = (ctx.cancel.clone(), ctx.meter.clone());
        metered(&cancel, &meter, move |cancel| find(&workspace, &wanted, &ctx.with_cancel(cancel.clone())))
            .await
    }
}

/// A glob for names, or for paths if it contains a slash.
pub(super) enum NameGlob {
    Name(GlobMatcher),
    Path(GlobMatcher),
}

impl NameGlob {
    pub(super) fn new(pattern: &str) -> Result<Self, ToolError> {
        let pattern = pattern.trim();
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|error| ToolError::reply(format!("Invalid glob: {error}")))?
            .compile_matcher();
        Ok(if pattern.contains('/') { Self::Path(glob) } else { Self::Name(glob) })
    }

    /// Returns whether a path below the searched directory matches.
    pub(super) fn matches(&self, below: &Path) -> bool {
        match self {
            Self::Name(glob) => below.file_name().is_some_and(|name| glob.is_match(name)),
            Self::Path(glob) => glob.is_match(below),
        }
    }
}

/// Returns the directory and the glob. A pattern that starts with a directory (`/usr/**`, `~/x/*`, `../y/*`) contains
/// both.
fn divide(folder: &str, pattern: &str) -> (String, String) {
    if !["/", "~/", "../"].iter().any(|start| pattern.starts_with(start)) {
        return (folder.to_owned(), pattern.to_owned());
    }
    let plain = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let slash = pattern[..plain].rfind('/').unwrap_or(0);
    let own = match &pattern[..slash] {
        "" => "/".to_owned(),
        own if own.starts_with("..") => format!("{folder}/{own}"),
        own => own.to_owned(),
    };
    (own, pattern[slash + 1..].to_owned())
}

fn find(workspace: &Workspace, wanted: &Arguments, context: &ToolContext) -> Result<ToolResult, ToolError> {
    let (folder, pattern) = divide(wanted.path.as_deref().unwrap_or("."), wanted.pattern.trim());
    let root = workspace.target(&folder, context)?;
    let found = fs::metadata(&root.real).map_err(|error| workspace.failed("search", &root.path, &error))?;
    if !found.is_dir() {
        return Err(ToolError::reply(format!("{} is not a directory", workspace.show(&root.path))));
    }
    let glob = NameGlob::new(&pattern)?;
    let limit = wanted.limit.unwrap_or(DEFAULT_LIMIT);
    let mut names = Vec::new();
    let mut more = false;
    walk(&root.real, &context.cancel, |entry| {
        let below = entry.path().strip_prefix(&root.real).unwrap_or(entry.path());
        if glob.matches(below) {
            if names.len() == limit {
                more = true;
                return Ok(false);
            }
            let end = if entry.file_type().is_some_and(|kind| kind.is_dir()) { "/" } else { "" };
            names.push(format!("{}{end}", workspace.show(&root.asked(below))));
        }
        Ok(true)
    })?;
    workspace.check_unmoved(&root)?;
    let mut text = names.join("\n");
    if names.is_empty() {
        text = format!("No files match {}", wanted.pattern);
    }
    if more {
        text.push_str(&format!("\n[first {limit} results; narrow the pattern or raise limit for more]"));
    }
    Ok(ToolResult::text(text).with_details(json!({ "files": names.len(), "limitReached": more })))
}
