//! `ast_edit`: shows structural rewrites, and stages them as an action (CONTRACT 8.7).

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith_host::{
    blocking::blocking,
    changes::{
        Base, ChangeError, ChangeNote, ChangeSet, ChangeStore, Drift, DriftKind, Wanted, apply_change_set,
        content_hash,
    },
    location::WriteRules,
    regular_file::read_regular,
};
use toolsmith_tool::{
    Approval, CancelToken, FileChange, FileSelection, FileTiers as _, Meter, Name, PendingAction,
    PendingCallbacks, Place, Stop, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec,
    UpdateSink, Writes, async_trait,
};

use super::{
    pattern::{Lang, Op, Ops, by_name},
    report::{Listing, counted, first_line, issue_text},
    rewrite::{Replacement, apply, replacements},
    scan::{Found, MAX_FILE_BYTES, Scan},
    scope::Scope,
};
use crate::{arguments, metered};

const NAME: &str = "ast_edit";
/// Files one action changes.
const MAX_FILES: usize = 1000;
const OVERLAP: &str = "Overlapping replacements detected; refine pattern to avoid ambiguous edits";

/// The tool.
#[derive(Debug)]
pub struct AstEditTool {
    spec: ToolSpec,
    cwd: PathBuf,
    store: Arc<ChangeStore>,
    rules: Arc<WriteRules>,
    max_files: usize,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    ops: Vec<OpArgument>,
    lang: Option<String>,
    path: Option<String>,
    glob: Option<String>,
    sel: Option<String>,
    limit: Option<f64>,
}

#[derive(Deserialize)]
struct OpArgument {
    #[serde(default)]
    pat: String,
    #[serde(default)]
    out: String,
}

impl AstEditTool {
    /// Works below `cwd`; what is applied goes through `store`.
    pub fn new(cwd: impl Into<PathBuf>, store: Arc<ChangeStore>) -> Self {
        let spec = ToolSpec::new(
            NAME,
            "Rewrites code by its structure, with patterns as for ast_grep; an empty `out` deletes. Stages a preview: nothing is \
             written before it is applied with `resolve`.",
        )
        .label("AST Edit")
        .deferrable(true)
        .approval(Tier::Write)
        .parameters(json!({
            "type": "object",
            "properties": {
                "ops": {
                    "type": "array",
                    "description": "Made in one go",
                    "items": {
                        "type": "object",
                        "properties": {
                            "pat": { "type": "string" },
                            "out": { "type": "string", "description": "What it becomes; may use its names" },
                        },
                        "required": ["pat", "out"],
                        "additionalProperties": false,
                    },
                },
                "lang": { "type": "string", "description": "Language, if file names do not tell" },
                "path": { "type": "string", "description": "File, folder, glob, or a list of them" },
                "glob": { "type": "string", "description": "Only files that match, below path" },
                "sel": { "type": "string", "description": "Kind of node meant within the pattern" },
                "limit": { "type": "number", "description": "Replacements" },
            },
            "required": ["ops"],
            "additionalProperties": false,
        }));
        let cwd = cwd.into();
        Self { spec, rules: Arc::new(WriteRules::new(&cwd)), cwd, store, max_files: MAX_FILES }
    }

    /// Sets the tiers of writes.
    #[must_use]
    pub fn rules(mut self, rules: Arc<WriteRules>) -> Self {
        self.rules = rules;
        self
    }

    /// Sets how many files one action may change.
    #[must_use]
    pub fn max_files(mut self, files: usize) -> Self {
        self.max_files = files;
        self
    }
}

/// The same operations for the preview and for applying it.
struct Request {
    ops: Ops,
    lang: Option<Lang>,
    scope: Scope,
    limit: usize,
    max_files: usize,
}

impl Request {
    fn new(arguments: Arguments, cwd: &Path, max_files: usize) -> Result<Self, String> {
        if arguments.ops.is_empty() {
            return Err("`ops` must include at least one op entry".to_owned());
        }
        let mut ops: Vec<Op> = Vec::with_capacity(arguments.ops.len());
        for (at, op) in arguments.ops.into_iter().enumerate() {
            let pattern = op.pat.trim().to_owned();
            if pattern.is_empty() {
                return Err(format!("`ops[{at}].pat` must be a non-empty pattern"));
            }
            if ops.iter().any(|other| other.pattern == pattern) {
                return Err(format!("Duplicate rewrite pattern: {pattern}"));
            }
            ops.push(Op { pattern, out: Some(op.out) });
        }
        ops.sort_by(|a, b| a.pattern.cmp(&b.pattern));
        let limit = match arguments.limit {
            None => usize::MAX,
            Some(limit) => positive(limit).ok_or("limit must be a positive number")?,
        };
        Ok(Self {
            ops: Ops::new(ops, arguments.sel.filter(|sel| !sel.trim().is_empty())),
            lang: arguments
                .lang
                .filter(|lang| !lang.trim().is_empty())
                .map(|lang| by_name(&lang))
                .transpose()?,
            scope: Scope::new(cwd, arguments.path.as_deref(), arguments.glob.as_deref())?,
            limit,
            max_files,
        })
    }

    fn run(
        &self,
        scope: &Scope,
        cancel: &CancelToken,
        updates: &UpdateSink,
        meter: &Meter,
    ) -> Found<Rewritten> {
        let scan = Scan { scope, ops: &self.ops, lang: self.lang, cancel, updates, meter };
        scan.run(|path, source, issues| {
            if source.has_errors {
                issues.push(scan.issue(path, "parse error (syntax tree contains error nodes)"));
                return None;
            }
            match replacements(source) {
                Ok(all) if all.is_empty() => None,
                Ok(all) => Some(Rewritten { text: source.text().to_owned(), all, overlap: None }),
                Err(overlap) => {
                    let place =
                        format!("{}:{}:{}", Name(scope.shown(path).display()), overlap.line, overlap.column);
                    Some(Rewritten { text: String::new(), all: Vec::new(), overlap: Some(place) })
                }
            }
        })
    }
}

/// The rewrites of one file.
struct Rewritten {
    text: String,
    all: Vec<Replacement>,
    overlap: Option<String>,
}

pub(super) fn positive(number: f64) -> Option<usize> {
    // Beyond 2^53 a number is no count any more; the cast stops at the largest one.
    (number.is_finite() && number >= 1.0).then_some(number as usize)
}

fn stopped() -> ToolError {
    ToolError::Stopped { stop: Stop::Stopped, note: Some("nothing was changed".to_owned()) }
}

/// A preview, before it is staged.
struct Preview {
    request: Arc<Request>,
    set: ChangeSet,
    /// How many places of each file of the set.
    counts: Vec<usize>,
    text: String,
    details: Value,
}

/// The blocking part of a call.
fn preview(request: Request, cancel: &CancelToken, context: &ToolContext) -> Result<Preview, ToolError> {
    let scope = &request.scope;
    let Found { mut files, searched, issues } = request.run(scope, cancel, &context.updates, &context.meter);
    if cancel.is_cancelled() {
        return Err(stopped());
    }
    let overlaps: Vec<&str> = files.iter().filter_map(|(_, file)| file.overlap.as_deref()).take(5).collect();
    if !overlaps.is_empty() {
        return Err(ToolError::reply(format!("{OVERLAP}\nAt: {}", overlaps.join(", "))));
    }
    let found_files = files.len();
    files.truncate(request.max_files);
    let mut limit_reached = files.len() < found_files;
    let mut room = request.limit;
    for (_, file) in &mut files {
        limit_reached |= file.all.len() > room;
        file.all.truncate(room);
        room -= file.all.len();
    }
    files.retain(|(_, file)| !file.all.is_empty());

    let mut listing = Listing::new(!scope.is_single_file());
    let (mut wanted, mut counts, mut per_file) = (Vec::new(), Vec::new(), Vec::new());
    for (path, file) in &files {
        let shown = scope.shown(path);
        listing.file(shown, &counted(file.all.len(), "replacement"), &rows(file));
        per_file.push(json!({ "path": shown.display().to_string(), "count": file.all.len() }));
        counts.push(file.all.len());
        let base = Base::Content(content_hash(file.text.as_bytes()));
        wanted.push(Wanted::write(path, apply(&file.text, &file.all)).base(base));
    }
    let total: usize = counts.iter().sum();
    let text = if total == 0 {
        match issues.is_empty() {
            true => "No replacements made".to_owned(),
            false => format!("No replacements made\n\n{}", issue_text(&issues)),
        }
    } else {
        listing.finish(limit_reached.then_some("Limit reached; narrow path or increase limit."), &issues)
    };
    let mut details = json!({
        "totalReplacements": total,
        "filesTouched": files.len(),
        "filesSearched": searched,
        "applied": false,
        "limitReached": limit_reached,
        "scopePath": scope.display,
        "files": files.iter().map(|(path, _)| scope.shown(path).display().to_string()).collect::<Vec<_>>(),
        "fileReplacements": per_file,
    });
    if !issues.is_empty() {
        details["parseErrors"] = json!(issues);
    }
    // Compared with what is there now: a file that changed while the others were searched is found here.
    let set = ChangeSet::bind(&scope.cwd, wanted).map_err(|error| ToolError::reply(error.to_string()))?;
    Ok(Preview { request: Arc::new(request), set, counts, text, details })
}

fn rows(file: &Rewritten) -> Vec<String> {
    let place = |one: &Replacement| format!("{}:{}", one.line, one.column);
    let width = file.all.iter().map(|one| place(one).len()).max().unwrap_or_default();
    let mut rows = Vec::with_capacity(file.all.len() * 2);
    for one in &file.all {
        let before = file.text.get(one.range.clone()).unwrap_or_default();
        rows.push(format!("-{:<width$} {}", place(one), first_line(before)));
        rows.push(format!("+{:<width$} {}", place(one), first_line(&one.text)));
    }
    rows
}

#[async_trait]
impl Tool for AstEditTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// A call only looks. Applying what it staged is what writes.
    async fn approval(&self, _arguments: &Value) -> Approval {
        Tier::Read.into()
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        let text = |key| arguments.get(key).and_then(Value::as_str);
        Scope::new(&self.cwd, text("path"), text("glob")).map(|scope| scope.places()).unwrap_or_default()
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        let request =
            Request::new(arguments(call.arguments)?, &self.cwd, self.max_files).map_err(ToolError::reply)?;
        let own = context.clone();
        let preview = metered(&context.cancel, &context.meter, move |cancel| {
            request.scope.check(&own.places)?;
            let preview = preview(request, cancel, &own)?;
            preview.request.scope.check(&own.places)?;
            Ok(preview)
        })
        .await?;
        let mut result = ToolResult::text(preview.text).with_details(preview.details);
        result.is_error = preview.request.ops.are_unusable();
        let total: usize = preview.counts.iter().sum();
        if total > 0 {
            let files = preview.set.into_files();
            let tier = self.rules.tier_of(&files).map_err(ToolError::reply)?;
            let label =
                format!("AST Edit: {} in {}", counted(total, "replacement"), counted(files.len(), "file"));
            let callbacks = AstEditAction {
                request: preview.request,
                set: ChangeSet::from_files(files.clone()),
                counts: preview.counts,
                note: ChangeNote::new(NAME, &label, &self.cwd),
                store: Arc::clone(&self.store),
            };
            let action = PendingAction::new(label, Arc::new(callbacks))
                .source(NAME)
                .tier(tier)
                .files(files, Writes::Callback)
                .details(result.details.clone().unwrap_or_default());
            context.pending.push(action).map_err(|error| ToolError::reply(error.to_string()))?;
        }
        Ok(result)
    }
}

/// A staged rewrite: applying repeats the same operations on the same contents.
struct AstEditAction {
    request: Arc<Request>,
    set: ChangeSet,
    counts: Vec<usize>,
    note: ChangeNote,
    store: Arc<ChangeStore>,
}

impl AstEditAction {
    /// Applies `set`, which has all files of the action or some, each as it was shown or in part.
    async fn apply_set(&self, set: ChangeSet, context: ToolContext) -> Result<ToolResult, ToolError> {
        let original = |file: &FileChange| self.set.files().iter().position(|other| other.path == file.path);
        let originals: Vec<usize> = set.files().iter().filter_map(original).collect();
        let rerun: Vec<FileChange> =
            originals.iter().filter_map(|at| self.set.files().get(*at)).cloned().collect();
        let counts: Vec<usize> =
            originals.iter().map(|at| self.counts.get(*at).copied().unwrap_or_default()).collect();
        // The rewrite is repeated for whole files: a part of it cannot be compared with what was shown.
        let is_partial = rerun != set.files();
        let (request, rerun, expected) =
            (Arc::clone(&self.request), ChangeSet::from_files(rerun), counts.clone());
        blocking(&context.cancel, move |cancel| run_again(&request, &rerun, &expected, cancel)).await?;
        let files = set.files().len();
        let total: usize = counts.iter().sum();
        let applied = apply_change_set(Arc::clone(&self.store), set, self.note.clone(), &context).await?;
        let mut details = applied.details.unwrap_or_default();
        details["filesTouched"] = json!(files);
        details["applied"] = json!(true);
        if is_partial {
            let text = format!("Applied the chosen parts in {}.", counted(files, "file"));
            return Ok(ToolResult::text(text).with_details(details));
        }
        details["totalReplacements"] = json!(total);
        let text = format!("Applied {} in {}.", counted(total, "replacement"), counted(files, "file"));
        Ok(ToolResult::text(text).with_details(details))
    }
}

/// Makes the rewrites again and compares with what was shown, file by file.
fn run_again(
    request: &Request,
    set: &ChangeSet,
    counts: &[usize],
    cancel: &CancelToken,
) -> Result<(), ToolError> {
    for (file, count) in set.files().iter().zip(counts) {
        if cancel.is_cancelled() {
            return Err(stopped());
        }
        let drift = |kind| {
            let error = ChangeError::Drifted(vec![Drift { path: file.path.clone(), kind }]);
            ToolError::reply(error.to_string())
        };
        let content = read_regular(&file.path, MAX_FILE_BYTES).map_err(|_| drift(DriftKind::Deleted))?;
        if Some(content_hash(&content)) != file.base {
            return Err(drift(DriftKind::Changed));
        }
        let scope = Scope::file(&request.scope.cwd, file, request.scope.is_single_file());
        let found = request.run(&scope, cancel, &UpdateSink::ignore(), &Meter::default());
        let again = found.files.into_iter().next().map(|(_, mut rewritten)| {
            rewritten.all.truncate(*count);
            apply(&rewritten.text, &rewritten.all).into_bytes()
        });
        if again != file.content {
            return Err(ToolError::reply(format!(
                "Nothing was changed: the rewrite of {} no longer gives what was shown. Make the preview again.",
                Name(file.path.display())
            )));
        }
    }
    Ok(())
}

#[async_trait]
impl PendingCallbacks for AstEditAction {
    async fn apply(&self, _reason: &str, context: ToolContext) -> Result<ToolResult, ToolError> {
        self.apply_set(self.set.clone(), context).await
    }

    async fn apply_files(
        &self,
        files: &[FileSelection],
        _reason: &str,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        let set = self.set.select(files).map_err(|error| ToolError::reply(error.to_string()))?;
        self.apply_set(set, context).await
    }
}
