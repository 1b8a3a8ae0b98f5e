//! Tool names and inputs as hooks of other agents know them, in both directions.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use serde_json::{Map, Value, json};
use toolsmith_host::location::leads_to;
use toolsmith_tool::{Place, Places, ToolSpec};

use super::definition::Dialect;
use toolsmith_builtins::{ReadNames, Workspace};

/// A call in the names of one agent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named {
    pub(super) tool: String,
    pub(super) input: Value,
}

/// Returns the name of Claude Code for one of our tools, if it differs.
pub fn claude_name(tool: &str) -> Option<&'static str> {
    Some(match tool {
        "bash" => "Bash",
        "write" => "Write",
        "edit" => "Edit",
        "read" => "Read",
        "grep" => "Grep",
        "find" => "Glob",
        "ls" => "LS",
        "todo_write" => "TodoWrite",
        "task" | "subagent" => "Agent",
        _ => return None,
    })
}

/// Returns all names under which matchers can mean a tool.
pub(super) fn names<'a>(tool: &'a str, spec: Option<&'a ToolSpec>, input: &Value) -> Vec<String> {
    let mut names = vec![tool.to_owned()];
    names.extend(claude_name(tool).map(str::to_owned));
    match tool {
        // Codex matches `apply_patch` for every change of a file.
        "write" => names.push("apply_patch".to_owned()),
        "edit" => {
            names.push("apply_patch".to_owned());
            if input["edits"].as_array().is_some_and(|edits| edits.len() != 1) {
                names.push("MultiEdit".to_owned());
            }
        }
        "bash" => names.extend(["shell", "local_shell"].map(str::to_owned)),
        "task" | "subagent" => names.push("Task".to_owned()),
        _ => {}
    }
    if let Some(mcp) = spec.and_then(|spec| spec.mcp.as_ref()) {
        names.push(format!("mcp__{}__{}", mcp.server, mcp.tool));
    }
    names.dedup();
    names
}

/// Paths in calls: absolute, and where they really lead.
pub(super) struct Paths {
    workspace: Workspace,
    real_cwd: Option<PathBuf>,
    /// Names that `read` opens besides paths.
    pub(super) names: OnceLock<Arc<dyn ReadNames>>,
}

impl Paths {
    pub(super) fn new(cwd: &Path, home: Option<&Path>) -> Self {
        let workspace = Workspace::new(cwd.to_path_buf(), home.map(Path::to_path_buf));
        Self { workspace, real_cwd: toolsmith_host::real_path(cwd).ok(), names: OnceLock::new() }
    }

    /// Returns the file that the tool will use: spelled as the tool reads it, with links followed, so that a guard by path
    /// sees what is really read or written. It is fixed for the call. In the project it is given below the working
    /// directory's own name.
    fn absolute(&self, written: &str, places: &Places) -> String {
        let named = self.names.get().and_then(|names| names.file(written));
        let path = named.or_else(|| self.workspace.resolve(written).ok());
        let real = match places.get(written) {
            Some(pinned) => pinned.leads_to,
            None => places.pin(Place::new(written, path.as_deref().and_then(leads_to))),
        };
        match real.or(path) {
            Some(real) => self.shown(real),
            None => written.to_owned(),
        }
    }

    /// Returns a path without links, in the project below the working directory's own name.
    fn shown(&self, real: PathBuf) -> String {
        let inside = self.real_cwd.as_ref().and_then(|cwd| real.strip_prefix(cwd).ok());
        let shown = match inside {
            Some(inside) if inside.as_os_str().is_empty() => self.workspace.cwd().to_path_buf(),
            Some(inside) => self.workspace.cwd().join(inside),
            None => real,
        };
        shown.to_string_lossy().into_owned()
    }

    /// Returns where every path of a call leads: one call of `ast_grep` may search several.
    pub(super) fn files(&self, places: &Places) -> Vec<String> {
        let shown = |place: Place| place.leads_to.map_or(place.written, |real| self.shown(real));
        places.all().into_iter().map(shown).collect()
    }

    /// Returns the file that a call reads or writes, if it is one of the built-in tools with a path.
    pub(super) fn file(&self, tool: &str, input: &Value, places: &Places) -> Option<String> {
        let has_path = matches!(tool, "read" | "write" | "edit" | "grep" | "find" | "ls");
        input["path"].as_str().filter(|_| has_path).map(|path| self.absolute(path, places))
    }
}

/// Puts a call into the names of a dialect.
pub(super) fn outward(
    dialect: Dialect,
    tool: &str,
    spec: Option<&ToolSpec>,
    input: &Value,
    paths: &Paths,
    places: &Places,
) -> Named {
    if dialect == Dialect::Toolsmith {
        return Named { tool: tool.to_owned(), input: input.clone() };
    }
    let path = || input["path"].as_str().map_or(Value::Null, |path| paths.absolute(path, places).into());
    let mut name = claude_name(tool).unwrap_or(tool).to_owned();
    let input = match tool {
        "bash" => {
            let mut input = input.clone();
            // Seconds here, milliseconds there.
            if let Some(seconds) = input["timeout"].as_u64() {
                input["timeout"] = seconds.saturating_mul(1000).into();
            }
            input
        }
        "write" => json!({ "file_path": path(), "content": input["content"] }),
        "read" => renamed(input, &[("path", "file_path")], path()),
        "edit" => {
            let edits = input["edits"].as_array().map(Vec::as_slice).unwrap_or_default();
            let edit = |edit: &Value| {
                json!({
                    "old_string": edit["oldText"],
                    "new_string": edit["newText"],
                    "replace_all": edit["all"].as_bool().unwrap_or(false),
                })
            };
            match edits {
                [one] => {
                    let mut input = edit(one);
                    if let Value::Object(fields) = &mut input {
                        fields.insert("file_path".to_owned(), path());
                    }
                    input
                }
                edits => {
                    "MultiEdit".clone_into(&mut name);
                    json!({ "file_path": path(), "edits": edits.iter().map(edit).collect::<Vec<_>>() })
                }
            }
        }
        "grep" | "find" | "ls" => {
            let mut input = input.clone();
            if input["path"].is_string() {
                input["path"] = path();
            }
            input
        }
        _ => {
            if let Some(mcp) = spec.and_then(|spec| spec.mcp.as_ref()) {
                name = format!("mcp__{}__{}", mcp.server, mcp.tool);
            }
            input.clone()
        }
    };
    Named { tool: name, input }
}

fn renamed(input: &Value, names: &[(&str, &str)], path: Value) -> Value {
    let fields = input.as_object().into_iter().flatten().map(|(key, value)| {
        match names.iter().find(|(from, _)| from == key) {
            Some((_, to)) => ((*to).to_owned(), path.clone()),
            None => (key.clone(), value.clone()),
        }
    });
    Value::Object(fields.collect())
}

/// Puts an input that a hook returned back into our names. Fields that the hook does not know keep their value where the hook
/// did not see them.
pub(super) fn inward(dialect: Dialect, tool: &str, updated: &Value, original: &Value, sent: &Value) -> Value {
    // What the hook did not change keeps our own spelling, so that a hook that repeats its input changes nothing.
    if updated == sent {
        return original.clone();
    }
    let Value::Object(fields) = updated else { return updated.clone() };
    if dialect == Dialect::Toolsmith {
        return updated.clone();
    }
    let path = |fields: &Map<String, Value>| match fields.get("file_path") {
        Some(path) if *path == sent["file_path"] => original["path"].clone(),
        Some(path) => path.clone(),
        None => original["path"].clone(),
    };
    match tool {
        "bash" => {
            let mut ours = fields.clone();
            if let Some(milliseconds) = ours.get("timeout").and_then(Value::as_u64) {
                ours.insert("timeout".to_owned(), milliseconds.div_ceil(1000).max(1).into());
            }
            // Claude's own fields, which our tool does not have.
            for unknown in ["description", "run_in_background", "dangerouslyDisableSandbox"] {
                ours.remove(unknown);
            }
            Value::Object(ours)
        }
        "write" => json!({
            "path": path(fields),
            "content": fields.get("content").unwrap_or(&original["content"]),
        }),
        "read" => {
            let mut ours: Map<String, Value> = fields
                .iter()
                .filter(|(key, _)| *key != "file_path")
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            ours.insert("path".to_owned(), path(fields));
            Value::Object(ours)
        }
        "edit" => {
            let edit = |edit: &Value| {
                let mut ours = json!({ "oldText": edit["old_string"], "newText": edit["new_string"] });
                if edit["replace_all"] == true {
                    ours["all"] = true.into();
                }
                ours
            };
            let edits = match (fields.get("edits"), fields.contains_key("old_string")) {
                (Some(Value::Array(edits)), _) => Value::Array(edits.iter().map(edit).collect()),
                (_, true) => json!([edit(updated)]),
                _ => original["edits"].clone(),
            };
            json!({ "path": path(fields), "edits": edits })
        }
        _ => {
            let mut ours = fields.clone();
            if matches!(tool, "grep" | "find" | "ls") && ours.get("path") == Some(&sent["path"]) {
                match original.get("path") {
                    Some(path) => ours.insert("path".to_owned(), path.clone()),
                    None => ours.shift_remove("path"),
                };
            }
            Value::Object(ours)
        }
    }
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
