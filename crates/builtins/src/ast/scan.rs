//! Parallel scan of all files in a scope.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use ast_grep_core::{AstGrep, tree_sitter::StrDoc};
use ignore::WalkState;
use toolsmith_host::{cpu_clock::CpuTimer, regular_file::read_real};
use toolsmith_tool::{CancelToken, Meter, Name, ToolResult, UpdateSink, panics};

use super::{
    pattern::{Compiled, CompiledOps, Lang, Ops, Problem, of_path},
    scope::Scope,
};
use crate::walk::walker;

/// Larger files are usually generated and take seconds to parse.
pub(super) const MAX_FILE_BYTES: u64 = 8 << 20;
/// Beyond this depth, comparing equal code could exhaust the stack.
const MAX_DEPTH: usize = 1_000;
/// Number of files between two updates.
const REPORT_EVERY: usize = 500;

/// A parsed file in which at least one pattern may match.
pub(super) struct Source {
    pub(super) root: AstGrep<StrDoc<Lang>>,
    pub(super) has_errors: bool,
    ops: CompiledOps,
    live: Vec<usize>,
}

impl Source {
    /// The ops that may match here, with their numbers.
    pub(super) fn ops(&self) -> impl Iterator<Item = (usize, &Compiled)> {
        self.live.iter().filter_map(|at| Some((*at, self.ops.get(*at)?.as_ref().ok()?)))
    }

    pub(super) fn text(&self) -> &str {
        self.root.source()
    }
}

/// A scan and its cancel token.
pub(super) struct Scan<'a> {
    pub(super) scope: &'a Scope,
    pub(super) ops: &'a Ops,
    /// Overrides the language derived from the file name.
    pub(super) lang: Option<Lang>,
    pub(super) cancel: &'a CancelToken,
    pub(super) updates: &'a UpdateSink,
    /// Counts what its threads use.
    pub(super) meter: &'a Meter,
}

/// Results by path.
pub(super) struct Found<T> {
    pub(super) files: Vec<(PathBuf, T)>,
    pub(super) searched: usize,
    /// Files that could not be read or parsed.
    pub(super) issues: Vec<String>,
}

impl Scan<'_> {
    /// Calls `work` on each file that may match. `None` omits the file.
    pub(super) fn run<T: Send>(
        &self,
        work: impl Fn(&Path, &Source, &mut Vec<String>) -> Option<T> + Sync,
    ) -> Found<T> {
        let files = Mutex::new(Vec::new());
        let issues = Mutex::new(Vec::new());
        let searched = AtomicUsize::new(0);
        let seen = Mutex::new(HashSet::new());
        let several = self.scope.roots.len() > 1;
        let (files_found, issues_found, count_of, seen_paths, work) =
            (&files, &issues, &searched, &seen, &work);
        for root in &self.scope.roots {
            let with_node_modules = self.scope.with_node_modules;
            let mut walk = walker(&root.base, move |entry| {
                entry.depth() == 0
                    || !(entry.file_name() == ".git"
                        || (entry.file_name() == "node_modules" && !with_node_modules))
            });
            walk.threads(std::thread::available_parallelism().map_or(2, Into::into));
            walk.build_parallel().run(|| {
                // Started on the thread that it counts for, and dropped with the closure at the end of that thread.
                let mut timer = None;
                Box::new(move |entry| {
                    timer.get_or_insert_with(|| CpuTimer::start(self.meter));
                    if self.cancel.is_cancelled() {
                        return WalkState::Quit;
                    }
                    let entry = match entry {
                        Ok(entry) => entry,
                        Err(error) => {
                            add(issues_found, [error.to_string()]);
                            return WalkState::Continue;
                        }
                    };
                    let path = entry.path();
                    let is_file = root.is_file || entry.file_type().is_some_and(|kind| kind.is_file());
                    let Some(lang) = is_file.then(|| self.language(path)).flatten() else {
                        return WalkState::Continue;
                    };
                    if !self.scope.includes(root, path) || (several && !first_time(seen_paths, path)) {
                        return WalkState::Continue;
                    }
                    let count = count_of.fetch_add(1, Ordering::Relaxed) + 1;
                    if count.is_multiple_of(REPORT_EVERY) {
                        self.updates.send(ToolResult::text(format!("Searched {count} files…")));
                    }
                    let mut own = Vec::new();
                    // Grammars are third-party code; a failure in one file must not end the search.
                    let done = catch_unwind(AssertUnwindSafe(|| {
                        let source = self.parse(path, &root.real_path(path), lang, &mut own)?;
                        work(path, &source, &mut own)
                    }));
                    match done {
                        Ok(Some(result)) => add(files_found, [(path.to_path_buf(), result)]),
                        Ok(None) => {}
                        Err(panic) => {
                            own.push(self.issue(path, &format!("parser crashed: {}", panics::text(&*panic))))
                        }
                    }
                    add(issues_found, own);
                    WalkState::Continue
                })
            });
        }
        let mut files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut issues = issues.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|a, b| a.0.cmp(&b.0));
        issues.sort();
        let mut all = self.ops.issues();
        all.extend(issues);
        all.dedup();
        Found { files, searched: searched.into_inner(), issues: all }
    }

    fn language(&self, path: &Path) -> Option<Lang> {
        match self.lang {
            // An explicitly named file has the explicitly named language.
            Some(lang) if self.scope.is_single_file() => Some(lang),
            Some(lang) => of_path(path).filter(|own| *own == lang),
            None => of_path(path),
        }
    }

    pub(super) fn issue(&self, path: &Path, what: &str) -> String {
        format!("{}: {what}", Name(self.scope.shown(path).display()))
    }

    /// Reads and parses a file, unless nothing can match in it.
    fn parse(&self, path: &Path, real: &Path, lang: Lang, issues: &mut Vec<String>) -> Option<Source> {
        let content = match read(real) {
            Ok(Some(content)) => {
                self.meter.add_read(content.len());
                content
            }
            Ok(None) => {
                issues.push(
                    self.issue(path, &format!("larger than {} MB, not searched", MAX_FILE_BYTES >> 20)),
                );
                return None;
            }
            Err(error) => {
                issues.push(self.issue(path, &format!("cannot be read: {error}")));
                return None;
            }
        };
        let ops = self.ops.in_language(lang);
        let may_match = |(_, op): &(usize, &Result<Compiled, Problem>)| {
            op.as_ref().is_ok_and(|compiled| compiled.may_match(&content))
        };
        let live: Vec<usize> = ops.iter().enumerate().filter(may_match).map(|(at, _)| at).collect();
        if live.is_empty() {
            return None;
        }
        let text = match String::from_utf8(content) {
            Ok(text) => text,
            Err(_) => {
                issues.push(self.issue(path, "not UTF-8, not searched"));
                return None;
            }
        };
        let root = match StrDoc::try_new(&text, lang) {
            Ok(doc) => AstGrep::doc(doc),
            Err(error) => {
                issues.push(self.issue(path, &error));
                return None;
            }
        };
        let compares = live.iter().filter_map(|at| ops.get(*at)?.as_ref().ok()).any(|op| op.repeats_a_name);
        if compares && is_deep(&root) {
            issues.push(self.issue(path, &format!("nested deeper than {MAX_DEPTH} levels, not searched")));
            return None;
        }
        let has_errors = root.root().get_inner_node().has_error();
        Some(Source { root, has_errors, ops, live })
    }
}

fn add<T>(list: &Mutex<Vec<T>>, more: impl IntoIterator<Item = T>) {
    list.lock().unwrap_or_else(PoisonError::into_inner).extend(more);
}

fn first_time(seen: &Mutex<HashSet<PathBuf>>, path: &Path) -> bool {
    let real = toolsmith_host::real_path(path).unwrap_or_else(|_| path.to_path_buf());
    seen.lock().unwrap_or_else(PoisonError::into_inner).insert(real)
}

/// `None` if it is too large.
fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match read_real(path, MAX_FILE_BYTES) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => Ok(None),
        Err(error) => Err(error),
    }
}

/// A tree is no deeper than its number of nodes, which is known without counting: only sufficiently large subtrees are
/// visited, in most files none.
fn is_deep(root: &AstGrep<StrDoc<Lang>>) -> bool {
    let mut cursor = root.root().get_inner_node().walk();
    loop {
        let depth = cursor.depth() as usize;
        if depth > MAX_DEPTH {
            return true;
        }
        let may_be_deep = depth + cursor.node().descendant_count() > MAX_DEPTH;
        if (may_be_deep && cursor.goto_first_child()) || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return false;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}
