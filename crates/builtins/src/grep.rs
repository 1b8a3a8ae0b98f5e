//! `grep`: finds lines by pattern, with ripgrep's libraries.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_host::{blocking::check, regular_file::open_real};
use toolsmith_tool::{
    CancelToken, Keep, Place, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{
    arguments,
    find::NameGlob,
    metered,
    walk::{is_file, walk},
};
use crate::files::Workspace;

const DEFAULT_LIMIT: usize = 100;
const MAX_CONTEXT: usize = 20;
/// Maximum characters of a line shown.
const MAX_LINE: usize = 400;
/// Longer lines are not searched, because a line must fit in memory.
const MAX_MEMORY: usize = 64 << 20;
/// Maximum size of the result. Context could otherwise multiply any limit of matches.
const MAX_BYTES: usize = 1 << 20;

pub(super) struct Grep {
    spec: ToolSpec,
    workspace: Arc<Workspace>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    literal: bool,
    context: Option<usize>,
    limit: Option<usize>,
}

impl Grep {
    pub(super) fn new(workspace: Arc<Workspace>) -> Self {
        let spec = ToolSpec::new(
            "grep",
            "Search files for a regex; returns path:line: text. Skips git-ignored files.",
        )
        .label("Grep")
        .approval(Tier::Read)
        .keep(Keep::Head)
        .parameters(json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string" },
                "path": { "type": "string", "description": "file or directory" },
                "glob": { "type": "string", "description": "only files like *.ts" },
                "ignoreCase": { "type": "boolean" },
                "literal": { "type": "boolean", "description": "pattern is plain text" },
                "context": { "type": "integer", "minimum": 0, "description": "lines around each match" },
                "limit": { "type": "integer", "minimum": 1, "description": "matches, default 100" },
            },
            "required": ["pattern"],
        }));
        Self { spec, workspace }
    }
}

#[async_trait]
impl Tool for Grep {
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
        metered(&cancel, &meter, move |cancel| grep(&workspace, &wanted, &ctx.with_cancel(cancel.clone())))
            .await
    }
}

fn grep(workspace: &Workspace, wanted: &Arguments, context: &ToolContext) -> Result<ToolResult, ToolError> {
    let (cancel, meter) = (&context.cancel, &context.meter);
    let root = workspace.target(wanted.path.as_deref().unwrap_or("."), context)?;
    let found = fs::metadata(&root.real).map_err(|error| workspace.failed("search", &root.path, &error))?;
    let matcher = matcher(wanted)?;
    let glob = wanted.glob.as_deref().map(NameGlob::new).transpose()?;
    let around = wanted.context.unwrap_or(0).min(MAX_CONTEXT);
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(around)
        .after_context(around)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAX_MEMORY))
        .build();
    let mut hits = Hits {
        name: String::new(),
        text: String::new(),
        matches: 0,
        limit: wanted.limit.unwrap_or(DEFAULT_LIMIT),
        full: false,
        in_file: false,
    };
    let (mut files, mut unread) = (0, Vec::new());
    let mut search = |file: &Path, asked: &Path, hits: &mut Hits| -> Result<(), ToolError> {
        hits.name = workspace.show(asked);
        hits.in_file = false;
        let before = hits.matches;
        let searched = open_real(file).and_then(|file| {
            searcher.search_reader(&matcher, meter.reading(Stoppable { file, cancel }), &mut *hits)
        });
        check(cancel)?;
        if let Err(error) = searched {
            unread.push(format!("{}: {error}", hits.name));
        }
        files += usize::from(hits.matches > before);
        Ok(())
    };
    if found.is_file() {
        search(&root.real, &root.path, &mut hits)?;
    } else if found.is_dir() {
        walk(&root.real, cancel, |entry| {
            let below = entry.path().strip_prefix(&root.real).unwrap_or(entry.path());
            if is_file(entry) && glob.as_ref().is_none_or(|glob| glob.matches(below)) {
                search(entry.path(), &root.asked(below), &mut hits)?;
            }
            Ok(!hits.full)
        })?;
        workspace.check_unmoved(&root)?;
    } else {
        let shown = workspace.show(&root.path);
        return Err(ToolError::reply(format!("{shown} is not a regular file (a pipe, socket or device)")));
    }
    let mut text = std::mem::take(&mut hits.text);
    if hits.matches == 0 {
        text = "No matches\n".to_owned();
    }
    if hits.full {
        text.push_str(&format!(
            "[first {} matches; narrow the search or raise limit for more]\n",
            hits.matches
        ));
    }
    if !unread.is_empty() {
        let more = unread.len().saturating_sub(5);
        unread.truncate(5);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text.push_str(&format!("[not searched: {}{more}]\n", unread.join("; ")));
    }
    let details = json!({ "matches": hits.matches, "files": files, "limitReached": hits.full });
    Ok(ToolResult::text(text).with_details(details))
}

fn matcher(wanted: &Arguments) -> Result<RegexMatcher, ToolError> {
    RegexMatcherBuilder::new()
        .case_insensitive(wanted.ignore_case)
        .fixed_strings(wanted.literal)
        .line_terminator(Some(b'\n'))
        .build(&wanted.pattern)
        .map_err(|error| {
            ToolError::reply(format!(
                "Invalid pattern: {error}\nSet literal to true to search for it as plain text."
            ))
        })
}

/// A file reader that ends when the call is cancelled.
struct Stoppable<'a> {
    file: File,
    cancel: &'a CancelToken,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Ok(0);
        }
        self.file.read(buffer)
    }
}

/// Collects the results.
struct Hits {
    /// The current file.
    name: String,
    text: String,
    matches: usize,
    limit: usize,
    full: bool,
    /// Set if the text already contains something of this file.
    in_file: bool,
}

impl Hits {
    fn push(&mut self, number: Option<u64>, mark: char, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches(['\n', '\r']);
        let shown = match line.char_indices().nth(MAX_LINE) {
            Some((at, _)) => &line[..at],
            None => line,
        };
        let cut = if shown.len() < line.len() { " [cut]" } else { "" };
        let number = number.unwrap_or_default();
        self.text.push_str(&format!("{}{mark}{number}{mark} {shown}{cut}\n", self.name));
        self.in_file = true;
    }
}

impl Sink for Hits {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.matches >= self.limit || self.text.len() > MAX_BYTES {
            self.full = true;
            return Ok(false);
        }
        self.matches += 1;
        self.push(found.line_number(), ':', found.bytes());
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        // Context before a match that is no longer shown is not shown either.
        if self.matches < self.limit || *around.kind() == SinkContextKind::After {
            self.push(around.line_number(), '-', around.bytes());
        }
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        if self.in_file && self.matches < self.limit {
            self.text.push_str("--\n");
        }
        Ok(true)
    }
}
