//! Reader for sessions of compatible agents (pi, oh-my-pi, xcsh; their versions 1 to 3), converted to our lines. Their
//! files are only read.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{Origin, header::HeadLine, lines::read_message, read_header};
use crate::ids;

/// A parsed session of a compatible agent.
#[derive(Debug)]
pub(crate) struct Foreign {
    pub(crate) head: HeadLine,
    /// Objects in our format, in order.
    pub(crate) entries: Vec<Map<String, Value>>,
    /// The session's name.
    pub(crate) title: Option<String>,
}

/// Parses a file; `None` if it is not such a session.
pub(crate) fn convert(bytes: &[u8]) -> Option<Foreign> {
    let mut head = None;
    let mut title = None;
    // All objects but the title line; the header is included, because version 1 counts it.
    let mut objects: Vec<Map<String, Value>> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(Value::Object(object)) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        match text(&object, "type") {
            Some("title") if head.is_none() => {
                title = text(&object, "title").map(str::to_owned);
                continue;
            }
            Some("session") if head.is_none() => head = read_header(line),
            // A file with anything before the header is not a session.
            _ if head.is_none() => return None,
            _ => {}
        }
        objects.push(object);
    }
    let head = head?;
    let Origin::Foreign(version) = head.origin() else {
        return None;
    };
    // Versions 2 and 3 differ in the name of one role. Newer versions are read the same way, and unknown parts are
    // kept.
    if version < 2 {
        add_ids(&mut objects);
    }
    let entries: Vec<_> =
        objects.into_iter().skip(1).filter(|entry| entry.contains_key("id")).map(entry).collect();
    let named = entries.iter().rev().find(|entry| text(entry, "type") == Some("title_change"));
    let named = named.and_then(|entry| text(entry, "title")).map(str::to_owned);
    let title = named.or(title).or_else(|| head.title.clone()).filter(|title| !title.trim().is_empty());
    Some(Foreign { head, entries, title })
}

/// Version 1 is a list without ids, in which a compaction counts lines.
fn add_ids(objects: &mut [Map<String, Value>]) {
    let mut taken: HashSet<String> = HashSet::new();
    let mut previous: Option<String> = None;
    for object in objects.iter_mut().skip(1) {
        let id = ids::entry_id(|id| taken.contains(id));
        taken.insert(id.clone());
        object.insert("id".to_owned(), id.clone().into());
        object.insert("parentId".to_owned(), previous.replace(id).into());
    }
    for at in 1..objects.len() {
        let Some(index) = objects[at].remove("firstKeptEntryIndex").and_then(|index| index.as_u64()) else {
            continue;
        };
        let kept =
            usize::try_from(index).ok().and_then(|index| objects.get(index)).and_then(|kept| kept.get("id"));
        if let Some(kept) = kept.cloned().filter(|_| index > 0) {
            objects[at].insert("firstKeptEntryId".to_owned(), kept);
        }
    }
}

/// Converts one entry. Unknown ones stay unchanged.
fn entry(mut entry: Map<String, Value>) -> Map<String, Value> {
    match text(&entry, "type") {
        Some("message") => message(entry),
        Some("model_change") => {
            // pi writes the two parts separately.
            if let (Some(provider), Some(model)) = (text(&entry, "provider"), text(&entry, "modelId")) {
                let model = format!("{provider}/{model}");
                entry.entry("model").or_insert(model.into());
            }
            entry
        }
        Some("session_info") => {
            let name = entry.remove("name").unwrap_or_else(|| "".into());
            entry.insert("type".to_owned(), "title_change".into());
            entry.insert("title".to_owned(), name);
            entry
        }
        Some("compaction" | "branch_summary") => {
            if let Some(from) = entry.remove("fromHook").filter(|_| !entry.contains_key("fromExtension")) {
                entry.insert("fromExtension".to_owned(), from);
            }
            entry
        }
        _ => entry,
    }
}

/// Messages with roles that only compatible agents have become custom messages, which the model treats the same.
fn message(mut entry: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Object(message)) = entry.get("message").cloned() else {
        return entry;
    };
    let role = text(&message, "role").unwrap_or_default().to_owned();
    let (custom_type, content) = match role.as_str() {
        "custom" | "hookMessage" => {
            let content = message.get("content").cloned().unwrap_or_default();
            (text(&message, "customType").unwrap_or("custom").to_owned(), content)
        }
        "bashExecution" | "pythonExecution" => (role.clone(), execution(&message).into()),
        "branchSummary" | "compactionSummary" => {
            (role.clone(), message.get("summary").cloned().unwrap_or_default())
        }
        "fileMention" => (role.clone(), mentions(&message).into()),
        _ => {
            if read_message(Value::Object(message)).is_none() {
                tracing::debug!(role, "a message with an unknown role is kept unchanged");
            }
            return entry;
        }
    };
    entry.remove("message");
    entry.insert("customType".to_owned(), custom_type.into());
    if message.get("excludeFromContext").is_some_and(|excluded| excluded == true) {
        entry.insert("type".to_owned(), "custom".into());
        entry.insert("data".to_owned(), Value::Object(message));
        return entry;
    }
    entry.insert("type".to_owned(), "custom_message".into());
    entry.insert("content".to_owned(), if content.is_null() { "".into() } else { content });
    let display = message.get("display").cloned().filter(Value::is_boolean).unwrap_or(json!(true));
    entry.insert("display".to_owned(), display);
    entry.insert("attribution".to_owned(), message.get("attribution").cloned().unwrap_or(json!("user")));
    if let Some(details) = message.get("details") {
        entry.insert("details".to_owned(), details.clone());
    }
    entry
}

fn execution(message: &Map<String, Value>) -> String {
    let ran = text(message, "command").or_else(|| text(message, "code")).unwrap_or_default();
    let output = text(message, "output").unwrap_or_default();
    let mut told = format!("Ran `{ran}`\n\n```\n{output}\n```");
    if let Some(code) = message.get("exitCode").and_then(Value::as_i64).filter(|code| *code != 0) {
        told.push_str(&format!("\n\nExit code: {code}."));
    }
    told
}

fn mentions(message: &Map<String, Value>) -> String {
    let files = message.get("files").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let each = files.iter().filter_map(Value::as_object).map(|file| {
        let (path, content) =
            (text(file, "path").unwrap_or_default(), text(file, "content").unwrap_or_default());
        format!("<file path=\"{path}\">\n{content}\n</file>")
    });
    each.collect::<Vec<_>>().join("\n")
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}
