//! `ast_grep`: structural code search.

use std::path::{Path, PathBuf};

use ast_grep_core::meta_var::MetaVariable;
use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_tool::{
    CancelToken, Place, Stop, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{
    edit_tool::positive,
    pattern::{Lang, Op, Ops, by_name},
    report::{Listing, issue_text},
    scan::{Found, Scan, Source},
    scope::Scope,
};
use crate::{arguments, metered};

const NAME: &str = "ast_grep";
const DEFAULT_LIMIT: usize = 50;
/// Maximum characters of a line shown.
const MAX_LINE_CHARS: usize = 500;
/// Maximum characters of a binding shown.
const MAX_META_CHARS: usize = 80;

/// The `ast_grep` tool.
#[derive(Debug)]
pub struct AstGrepTool {
    spec: ToolSpec,
    cwd: PathBuf,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    pat: Vec<String>,
    lang: Option<String>,
    path: Option<String>,
    glob: Option<String>,
    sel: Option<String>,
    limit: Option<f64>,
    offset: Option<f64>,
    context: Option<f64>,
}

impl AstGrepTool {
    /// Creates the tool for `cwd`.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        let spec = ToolSpec::new(
            NAME,
            "Finds code by its structure. A pattern is code with holes: $NAME is one node, $_ any one, $$$NAME any number; the \
             same name twice is the same code.",
        )
        .label("AST Grep")
        .approval(Tier::Read)
        .parameters(json!({
            "type": "object",
            "properties": {
                "pat": { "type": "array", "items": { "type": "string" }, "description": "Patterns to find" },
                "lang": { "type": "string", "description": "Language, if not clear from file names" },
                "path": { "type": "string", "description": "File, directory, glob, or a list of them" },
                "glob": { "type": "string", "description": "Only matching files below path" },
                "sel": { "type": "string", "description": "Node kind to select within the pattern" },
                "limit": { "type": "number", "description": "Matches; default 50" },
                "offset": { "type": "number", "description": "Matches to skip" },
                "context": { "type": "number", "description": "Context lines" },
            },
            "required": ["pat"],
            "additionalProperties": false,
        }));
        Self { spec, cwd: cwd.into() }
    }
}

struct Request {
    ops: Ops,
    lang: Option<Lang>,
    scope: Scope,
    limit: usize,
    offset: usize,
    context: usize,
}

impl Request {
    fn new(arguments: Arguments, cwd: &Path) -> Result<Self, String> {
        let mut patterns: Vec<String> =
            arguments.pat.iter().map(|pattern| pattern.trim().to_owned()).filter(|p| !p.is_empty()).collect();
        patterns.sort();
        patterns.dedup();
        if patterns.is_empty() {
            return Err("`pat` must include at least one non-empty pattern".to_owned());
        }
        let not_negative = |number: Option<f64>, name: &str| match number {
            None => Ok(0),
            Some(number) if number.is_finite() && number >= 0.0 => Ok(number as usize),
            Some(_) => Err(format!("{name} must be a non-negative number")),
        };
        let limit = match arguments.limit {
            None => DEFAULT_LIMIT,
            Some(limit) => positive(limit).ok_or("Limit must be a positive number")?,
        };
        let ops = patterns.into_iter().map(|pattern| Op { pattern, out: None }).collect();
        Ok(Self {
            ops: Ops::new(ops, arguments.sel.filter(|sel| !sel.trim().is_empty())),
            lang: arguments
                .lang
                .filter(|lang| !lang.trim().is_empty())
                .map(|lang| by_name(&lang))
                .transpose()?,
            limit,
            offset: not_negative(arguments.offset, "Offset")?,
            context: not_negative(arguments.context, "Context")?,
            scope: Scope::new(cwd, arguments.path.as_deref(), arguments.glob.as_deref())?,
        })
    }
}

/// Returns the rows of the first `most` matches, and the total number.
fn matches(source: &Source, context: usize, most: usize) -> (usize, Vec<Vec<String>>) {
    let mut all = Vec::new();
    for (_, op) in source.ops() {
        all.extend(
            source.root.root().find_all(&op.pattern).map(|found| (found.start_pos().byte_point(), found)),
        );
    }
    all.sort_by_key(|(start, _)| *start);
    let count = all.len();
    // Rows are created only for what may be shown, so that 100,000 matches cost no more than finding them.
    let lines: Vec<&str> = source.text().lines().collect();
    let rows = all.iter().take(most).map(|(_, found)| {
        let (first, last) = (found.start_pos().line(), found.end_pos().line());
        let shown =
            first.saturating_sub(context)..last.saturating_add(context).saturating_add(1).min(lines.len());
        let mut rows: Vec<String> = shown
            .map(|at| {
                let mark = if at == first { ':' } else { '-' };
                let line = lines.get(at).copied().unwrap_or_default();
                // In a line of megabytes, only the match is shown.
                let own = source.text().get(found.range()).unwrap_or_default();
                let line = if at == first && line.len() > MAX_LINE_CHARS { own } else { line };
                let line: String = line.chars().take_while(|c| *c != '\n').take(MAX_LINE_CHARS).collect();
                format!("{}{mark}{line}", at + 1)
            })
            .collect();
        rows.extend(meta(found, source));
        rows
    });
    (count, rows.collect())
}

/// Formats the bindings of the pattern.
fn meta(
    found: &ast_grep_core::NodeMatch<'_, ast_grep_core::tree_sitter::StrDoc<Lang>>,
    source: &Source,
) -> Option<String> {
    let env = found.get_env();
    let mut bound: Vec<(String, String)> = env
        .get_matched_variables()
        .filter_map(|variable| match variable {
            MetaVariable::Capture(name, _) => {
                let text = env.get_match(&name)?.text().into_owned();
                Some((name, text))
            }
            MetaVariable::MultiCapture(name) => {
                let nodes = env.get_multiple_matches(&name);
                let range = nodes.first()?.range().start..nodes.last()?.range().end;
                let text = source.text().get(range)?.to_owned();
                Some((name, text))
            }
            _ => None,
        })
        .collect();
    bound.sort();
    let shown: Vec<String> = bound
        .into_iter()
        .map(|(name, text)| {
            let start: String = text.chars().take(MAX_META_CHARS).collect();
            format!("{name}={}", start.split_whitespace().collect::<Vec<_>>().join(" "))
        })
        .collect();
    (!shown.is_empty()).then(|| format!("  meta: {}", shown.join(", ")))
}

fn search(request: &Request, cancel: &CancelToken, context: &ToolContext) -> Result<ToolResult, ToolError> {
    let scope = &request.scope;
    let (updates, meter) = (&context.updates, &context.meter);
    let scan = Scan { scope, ops: &request.ops, lang: request.lang, cancel, updates, meter };
    let most = request.offset.saturating_add(request.limit);
    let Found { files, searched, issues } = scan.run(|path, source, issues| {
        if source.has_errors {
            issues.push(scan.issue(path, "parse error (syntax tree contains error nodes)"));
        }
        let (count, all) = matches(source, request.context, most);
        (count > 0).then_some((count, all))
    });
    if cancel.is_cancelled() {
        return Err(ToolError::stopped(Stop::Stopped));
    }
    let total: usize = files.iter().map(|(_, (count, _))| count).sum();
    let limit_reached = total > most;
    let mut listing = Listing::new(!scope.is_single_file());
    let (mut skip, mut room, mut per_file) = (request.offset, request.limit, Vec::new());
    for (path, (count, all)) in &files {
        let shown: Vec<&Vec<String>> = all.iter().skip(skip).take(room).collect();
        skip = skip.saturating_sub(*count);
        room -= shown.len();
        if !shown.is_empty() {
            let rows: Vec<String> = shown.iter().flat_map(|rows| (*rows).clone()).collect();
            let path = scope.shown(path);
            let matches =
                if shown.len() == 1 { "1 match".to_owned() } else { format!("{} matches", shown.len()) };
            listing.file(path, &matches, &rows);
            per_file.push(json!({ "path": path.display().to_string(), "count": shown.len() }));
        }
    }
    let text = if per_file.is_empty() {
        match issues.is_empty() {
            true => "No matches found".to_owned(),
            false => format!(
                "No matches found. Not everything could be searched; narrow path or glob, or set lang.\n\n{}",
                issue_text(&issues)
            ),
        }
    } else {
        listing.finish(
            limit_reached.then_some("Result limit reached; narrow path pattern or increase limit."),
            &issues,
        )
    };
    let mut details = json!({
        "totalMatches": total,
        "matchesShown": counted_sum(&per_file),
        "filesWithMatches": files.len(),
        "filesSearched": searched,
        "limitReached": limit_reached,
        "scopePath": scope.display,
        "files": per_file.iter().map(|file| file["path"].clone()).collect::<Vec<_>>(),
        "fileMatches": per_file,
    });
    if !issues.is_empty() {
        details["parseErrors"] = json!(issues);
    }
    let mut result = ToolResult::text(text).with_details(details);
    result.is_error = request.ops.are_unusable();
    Ok(result)
}

fn counted_sum(per_file: &[Value]) -> u64 {
    per_file.iter().filter_map(|file| file["count"].as_u64()).sum()
}

#[async_trait]
impl Tool for AstGrepTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        let text = |key| arguments.get(key).and_then(Value::as_str);
        Scope::new(&self.cwd, text("path"), text("glob")).map(|scope| scope.places()).unwrap_or_default()
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        let request = Request::new(arguments(call.arguments)?, &self.cwd).map_err(ToolError::reply)?;
        let own = context.clone();
        metered(&context.cancel, &context.meter, move |cancel| {
            request.scope.check(&own.places)?;
            let found = search(&request, cancel, &own)?;
            request.scope.check(&own.places)?;
            Ok(found)
        })
        .await
    }
}
