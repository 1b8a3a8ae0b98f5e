//! File hooks: `hooks/pre/<tool>` and `hooks/post/<tool>`, executables named after the tool they are for; `_all` is for every
//! tool.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::json;
use toolsmith_host::exec::interpreter;
use toolsmith_middleware::hooks::{Handler, Hook, HookEvent, Matcher};

use super::entries::Draft;
use crate::warning::Warning;

/// Extensions that are not part of the tool's name.
const SCRIPTS: [&str; 14] =
    ["sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "exe", "bin"];
/// Files that are no hooks.
const OTHERS: [&str; 5] = ["md", "txt", "json", "log", "bak"];

/// Directories of file hooks, and their events.
pub(super) const EVENTS: [(&str, HookEvent); 2] =
    [("pre", HookEvent::PreToolUse), ("post", HookEvent::PostToolUse)];

/// Creates a hook from a file wherever it lies, for trying it.
///
/// # Errors
/// Fails with the reason if nothing says how to run it.
pub fn hook_from_file(path: &Path, event: HookEvent, timeout: Duration) -> Result<Hook, String> {
    let file = path.file_name().and_then(|name| name.to_str()).ok_or("its name is not UTF-8")?;
    let draft = draft(path, file, event, None, timeout, &mut Vec::new()).ok_or("it is not a hook")?;
    match draft.problem {
        Some(problem) => Err(problem),
        None => Ok(draft.hook),
    }
}

/// Finds the file hooks of one folder, by name. `within` is the project they must not leave.
pub(super) fn scan(
    folder: &Path,
    within: Option<&Path>,
    timeout: Duration,
    warnings: &mut Vec<Warning>,
) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (name, event) in EVENTS {
        let folder = folder.join(name);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                let is_gone = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                if !is_gone || folder.is_symlink() {
                    warnings.push(Warning::about(&folder, format!("cannot be searched for hooks: {error}")));
                }
                continue;
            }
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Some(file) = path.file_name().and_then(|name| name.to_str()) else {
                warnings.push(Warning::about(&path, "is skipped because its name is not UTF-8"));
                continue;
            };
            if is_hook(file) && !path.is_dir() {
                drafts.extend(draft(&path, file, event, within, timeout, warnings));
            }
        }
    }
    drafts
}

fn is_hook(file: &str) -> bool {
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    !file.starts_with('.') && !file.ends_with('~') && !OTHERS.contains(&extension)
}

fn draft(
    path: &Path,
    file: &str,
    event: HookEvent,
    within: Option<&Path>,
    timeout: Duration,
    warnings: &mut Vec<Warning>,
) -> Option<Draft> {
    if let Some(project) = within {
        let real = toolsmith_host::real_path(path);
        if !real.as_ref().is_ok_and(|real| real.starts_with(project)) {
            let reason = match real {
                Ok(_) => "is not used as a hook: it is a link that leads out of the project".to_owned(),
                Err(error) => format!("is not used as a hook: {error}"),
            };
            warnings.push(Warning::about(path, reason));
            return None;
        }
    }
    let stem = match file.rsplit_once('.') {
        Some((stem, extension)) if SCRIPTS.contains(&extension) => stem,
        _ => file,
    };
    let (interpreter, problem) = match interpreter(path) {
        Ok(interpreter) => (interpreter, None),
        Err(error) => (Vec::new(), Some(format!("cannot be run: {error}"))),
    };
    let handler = Handler::File { path: path.to_path_buf(), interpreter };
    let mut hook = Hook::new(event, handler, path);
    hook.matcher = Matcher::tool(stem);
    hook.timeout = timeout;
    hook.fails_closed = event == HookEvent::PreToolUse;
    let definition = json!({ "event": event.as_str(), "file": file });
    Some(Draft { hook, definition, problem })
}
