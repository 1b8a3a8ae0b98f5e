//! Preview and apply for clients: the tools `toolsmith_resolve` and `toolsmith_undo`, and pending actions as resources.
//!
//! An action is addressed by its number on a connection, and by 128 random bits where requests belong to no connection. What
//! a client cannot name it cannot see or decide about.

use std::{collections::HashMap, sync::Arc};

use rmcp::model::{
    CallToolResult, ContentBlock as Remote, JsonObject, Resource, ResourceContents, Tool as RemoteTool,
    ToolAnnotations,
};
use serde_json::{Value, json};
use toolsmith_tool::{DialogOptions, ToolContext, ToolResult};

use super::{
    mapping,
    served::{Decision, FileChoice, ServedPending, ServedSession},
    serving::random_handle,
};

pub(super) const RESOLVE: &str = "toolsmith_resolve";
pub(super) const UNDO: &str = "toolsmith_undo";
pub(super) const LIST_URI: &str = "toolsmith://pending";
pub(super) const TEMPLATE: &str = "toolsmith://pending/{id}";
pub(super) const DIFF_TYPE: &str = "text/x-diff";
pub(super) const NOTHING: &str = "No pending action to resolve. Nothing to apply or discard.";
/// Handles of actions that are gone are forgotten beyond this number.
const MAX_HANDLES: usize = 10_000;

/// Handles of actions that belong to no connection.
#[derive(Default)]
pub(super) struct Handles {
    by_handle: HashMap<String, u64>,
    by_number: HashMap<u64, String>,
}

impl Handles {
    fn of(&mut self, number: u64) -> String {
        if self.by_number.len() >= MAX_HANDLES {
            self.by_handle.clear();
            self.by_number.clear();
        }
        let handle = self.by_number.entry(number).or_insert_with(random_handle).clone();
        self.by_handle.insert(handle.clone(), number);
        handle
    }

    fn number(&self, handle: &str) -> Option<u64> {
        self.by_handle.get(handle).copied()
    }
}

/// The pending actions of one session, as its client names them.
#[derive(Clone)]
pub(super) struct PendingActions {
    pub(super) session: Arc<dyn ServedSession>,
    pub(super) shared: Arc<super::serving::Shared>,
    /// Requests belong to no connection.
    pub(super) is_stateless: bool,
}

impl PendingActions {
    fn id(&self, number: u64) -> String {
        match self.is_stateless {
            true => self.shared.handles().of(number),
            false => number.to_string(),
        }
    }

    fn uri(&self, number: u64) -> String {
        format!("{LIST_URI}/{}", self.id(number))
    }

    /// The action a client means; the newest if it names none.
    fn find(&self, id: Option<&str>) -> Option<ServedPending> {
        let actions = self.session.pending();
        match id.map(|id| id.trim().trim_start_matches('#')) {
            None | Some("") if self.is_stateless => None,
            None | Some("") => actions.into_iter().next(),
            Some(id) => {
                let number = match self.is_stateless {
                    true => self.shared.handles().number(id)?,
                    false => id.parse().ok()?,
                };
                actions.into_iter().find(|action| action.number == number)
            }
        }
    }

    /// Describes what a call staged, with a link to each diff.
    pub(super) fn describe_staged(&self, staged: &[u64]) -> Vec<Remote> {
        let mut blocks = Vec::new();
        for action in self.session.pending().iter().rev().filter(|action| staged.contains(&action.number)) {
            let id = self.id(action.number);
            let files = match action.files.len() {
                0 => String::new(),
                1 => " (1 file)".to_owned(),
                count => format!(" ({count} files)"),
            };
            blocks.push(Remote::text(format!(
                "Staged as action #{id}: {}{files}. Nothing has changed yet. Call {RESOLVE} with {{\"id\": \"{id}\", \"action\": \
                 \"apply\" or \"discard\", \"reason\": \"…\"}}; \"files\" applies only some of its files.",
                action.label
            )));
            let mut link = Resource::new(self.uri(action.number), format!("pending-{id}"));
            link.title = Some(format!("Diff of action #{id}: {}", action.label));
            link.mime_type = Some(DIFF_TYPE.to_owned());
            blocks.push(Remote::resource_link(link));
        }
        blocks
    }

    /// Lists the resources. Actions that belong to no connection are not listed: their handles are secrets.
    pub(super) fn resources(&self) -> Vec<Resource> {
        let mut list = Resource::new(LIST_URI, "pending");
        list.title = Some("Pending actions".to_owned());
        list.description = Some("Staged changes that wait for toolsmith_resolve".to_owned());
        list.mime_type = Some("application/json".to_owned());
        let mut resources = vec![list];
        if !self.is_stateless {
            resources.extend(self.session.pending().into_iter().map(|action| {
                let mut one = Resource::new(self.uri(action.number), format!("pending-{}", action.number));
                one.title = Some(action.label);
                one.mime_type = Some(DIFF_TYPE.to_owned());
                one
            }));
        }
        resources
    }

    /// Reads a resource; `None` if there is no such resource.
    pub(super) async fn read(&self, uri: &str) -> Option<ResourceContents> {
        if uri == LIST_URI {
            let actions = if self.is_stateless { Vec::new() } else { self.session.pending() };
            let list: Vec<Value> = actions
                .iter()
                .map(|action| {
                    json!({
                        "id": self.id(action.number), "label": action.label, "tool": action.tool,
                        "files": action.files, "tier": action.tier.as_str(),
                    })
                })
                .collect();
            let text = serde_json::to_string_pretty(&list).unwrap_or_default();
            return Some(ResourceContents::text(text, uri).with_mime_type("application/json"));
        }
        let action = self.find(Some(uri.strip_prefix(LIST_URI)?.strip_prefix('/')?))?;
        let diff = self.session.diff(action.number).await?;
        Some(ResourceContents::text(diff, uri).with_mime_type(DIFF_TYPE))
    }

    /// Carries out `toolsmith_resolve`.
    pub(super) async fn resolve(
        &self,
        call: String,
        arguments: &JsonObject,
        context: ToolContext,
    ) -> CallToolResult {
        let refuse = |text: String| mapping::result(ToolResult::error(text));
        let id = match arguments.get("id") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(other) => return refuse(format!("\"id\" must be a text, got {other}")),
        };
        let reason = arguments.get("reason").and_then(Value::as_str).unwrap_or_default();
        let files = match selection(arguments) {
            Ok(files) => files,
            Err(problem) => return refuse(problem),
        };
        let mut decision = match arguments.get("action").and_then(Value::as_str) {
            Some("apply") => Decision::Apply(files),
            Some("discard") if files.is_some() => {
                return refuse(
                    "\"files\" and \"hunks\" are only for \"apply\"; discarding drops the whole action"
                        .to_owned(),
                );
            }
            Some("discard") => Decision::Discard,
            _ => return refuse("\"action\" must be \"apply\" or \"discard\"".to_owned()),
        };
        let Some(action) = self.find(id.as_deref()) else {
            // Not an error: the client may ask to be sure.
            let text = match id {
                Some(id) => {
                    format!("There is no pending action #{id}. It was applied, discarded or never staged.")
                }
                None if self.is_stateless => "Name the action by the id its call returned.".to_owned(),
                None => NOTHING.to_owned(),
            };
            return mapping::result(ToolResult::text(text));
        };
        let ui = context.ui.current();
        if self.shared.options.confirm && ui.has_ui() && matches!(decision, Decision::Apply(_)) {
            let count = action.files.len();
            let noun = if count == 1 { "file" } else { "files" };
            let title = format!("Apply \"{}\" to {count} {noun}?\n{}", action.label, action.files.join("\n"));
            let options = ["apply", "discard", "keep"].map(str::to_owned);
            let dialog = DialogOptions::new(context.cancel.clone());
            match ui.select(&title, &options, dialog).await.as_deref() {
                Some("apply") => {}
                Some("discard") => decision = Decision::Discard,
                // Everything but an explicit answer leaves the action where it is (CONTRACT 12.2).
                _ => {
                    let id = self.id(action.number);
                    return mapping::result(ToolResult::text(format!(
                        "Action #{id} was not applied: the user did not confirm it. It is still pending."
                    )));
                }
            }
        }
        mapping::result(self.session.resolve(&call, action.number, decision, reason, context).await)
    }

    /// Carries out `toolsmith_undo`.
    pub(super) async fn undo(
        &self,
        call: String,
        arguments: &JsonObject,
        context: ToolContext,
    ) -> CallToolResult {
        let change = match arguments.get("change") {
            None | Some(Value::Null) => None,
            Some(Value::String(change)) => Some(change.as_str()),
            Some(other) => {
                return mapping::result(ToolResult::error(format!("\"change\" must be a text, got {other}")));
            }
        };
        mapping::result(self.session.undo(&call, change, context).await)
    }
}

/// Reads `files` and `hunks`; `None` if neither is given.
fn selection(arguments: &JsonObject) -> Result<Option<Vec<FileChoice>>, String> {
    let mut chosen: Option<Vec<FileChoice>> = match arguments.get("files") {
        None | Some(Value::Null) => None,
        Some(Value::Array(files)) if files.iter().all(Value::is_string) => {
            Some(files.iter().filter_map(Value::as_str).map(|path| FileChoice::new(path, None)).collect())
        }
        Some(other) => return Err(format!("\"files\" must be a list of paths, got {other}")),
    };
    let hunks = match arguments.get("hunks") {
        None | Some(Value::Null) => return Ok(chosen),
        Some(Value::Object(hunks)) => hunks,
        Some(other) => return Err(format!("\"hunks\" must map paths to lists of numbers, got {other}")),
    };
    let all = chosen.get_or_insert_default();
    for (path, numbers) in hunks {
        let numbers = numbers.as_array().into_iter().flatten().map(|number| {
            let number =
                number.as_u64().filter(|number| *number > 0).and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| format!("\"hunks.{path}\" must be a list of numbers from 1"))
        });
        let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        all.retain(|choice| choice.path != *path);
        all.push(FileChoice::new(path, Some(numbers)));
    }
    Ok(chosen)
}

/// The tools for pending actions.
pub(super) fn tools() -> [RemoteTool; 2] {
    let schema = |value: Value| Arc::new(value.as_object().cloned().unwrap_or_default());
    let resolve = json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "Id of the pending action; the newest if left out" },
            "action": { "type": "string", "enum": ["apply", "discard"] },
            "reason": { "type": "string", "description": "Why, in one sentence" },
            "files": {
                "type": "array", "items": { "type": "string" },
                "description": "Apply only these files of the action; the others are dropped",
            },
            "hunks": {
                "type": "object", "additionalProperties": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
                "description": "Apply only these hunks: for each path the numbers of its hunks in the diff, from 1",
            },
        },
        "required": ["action", "reason"],
    });
    let undo = json!({
        "type": "object",
        "properties": { "change": { "type": "string", "description": "Id of the change; the last one if left out" } },
    });
    let hints = ToolAnnotations::new().read_only(false).destructive(true).idempotent(false).open_world(false);
    [
        RemoteTool::new(
            RESOLVE,
            "Applies or discards a change that a tool staged. Read its diff first.",
            schema(resolve),
        )
        .with_title("Apply or discard a staged change")
        .with_annotations(hints.clone()),
        RemoteTool::new(UNDO, "Undoes a file change that was applied.", schema(undo))
            .with_title("Undo a change")
            .with_annotations(hints),
    ]
}
