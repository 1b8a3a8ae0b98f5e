//! `toolsmith rpc-schema`: the protocol as one JSON Schema, or as the reference in `docs/rpc.md`. Both are generated
//! from the types the program reads and writes.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use toolsmith_agent::AgentEvent;

use super::{
    frame::{Frame, PROTOCOL_VERSION},
    reference,
    reply::{
        ActiveTools, BranchMessages, Called, Changes, CommandRun, Commands, CompactedTo, Completions,
        Decided, Exported, Initialized, LastText, Messages, ModelSet, Models, PendingActions, PendingFiles,
        Prompted, RetryAborted, SessionList, State, Stats, Tools, TreeRows, Undone, Went,
    },
    request::{Answer, Request, RequestId},
};

/// Arguments of `rpc-schema`.
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArguments {
    /// Print the reference as Markdown.
    #[arg(long)]
    reference: bool,
}

pub(crate) fn run(own: &SchemaArguments) -> Result<ExitCode> {
    let schema = whole();
    let text = if own.reference { reference::markdown(&schema) } else { format!("{schema:#}\n") };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// An empty `data`.
struct Nothing;

/// The `data` types of the replies to each request.
macro_rules! replies {
    ($generator:ident: $($command:literal => $reply:ty),* $(,)?) => {
        vec![$(($command, <$reply as Reply>::schema($generator))),*]
    };
}

trait Reply {
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema>;
}

impl Reply for Nothing {
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

impl<T: JsonSchema> Reply for T {
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
}

fn replies(generator: &mut SchemaGenerator) -> Vec<(&'static str, Option<Schema>)> {
    replies! { generator:
        "initialize" => Initialized,
        "prompt" => Prompted,
        "get_commands" => Commands,
        "run_command" => CommandRun,
        "complete_command" => Completions,
        "steer" => Nothing,
        "follow_up" => Nothing,
        "abort" => Nothing,
        "abort_and_prompt" => Prompted,
        "new_session" => Went,
        "switch_session" => Went,
        "fork" => Went,
        "branch" => Went,
        "go_to" => Went,
        "get_state" => State,
        "get_messages" => Messages,
        "get_last_assistant_text" => LastText,
        "get_session_stats" => Stats,
        "get_branch_messages" => BranchMessages,
        "get_tree" => TreeRows,
        "set_label" => Nothing,
        "list_sessions" => SessionList,
        "set_session_name" => Nothing,
        "export" => Exported,
        "get_available_models" => Models,
        "set_model" => ModelSet,
        "set_thinking_level" => ModelSet,
        "get_tools" => Tools,
        "set_active_tools" => ActiveTools,
        "set_host_tools" => ActiveTools,
        "call_tool" => Called,
        "abort_tool" => Nothing,
        "compact" => CompactedTo,
        "set_auto_compaction" => Nothing,
        "set_auto_retry" => Nothing,
        "abort_retry" => RetryAborted,
        "set_steering_mode" => Nothing,
        "set_follow_up_mode" => Nothing,
        "pending_list" => PendingActions,
        "pending_view" => PendingFiles,
        "pending_apply" => Decided,
        "pending_discard" => Decided,
        "undo_list" => Changes,
        "undo" => Undone,
        "shutdown" => Nothing,
    }
}

/// Returns the discriminator values of an enum.
pub(super) fn variant_names<T: JsonSchema>() -> Vec<String> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    variants(schema.as_value()).iter().filter_map(|variant| tag(variant)).map(str::to_owned).collect()
}

/// Returns the variants in a schema.
pub(super) fn variants(schema: &Value) -> &[Value] {
    schema.get("oneOf").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the name of a variant.
pub(super) fn tag(variant: &Value) -> Option<&str> {
    variant.pointer("/properties/type/const").and_then(Value::as_str)
}

/// Returns the whole protocol. `#/$defs/ClientLine` and `#/$defs/ServerLine` describe the lines.
pub(super) fn whole() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<RequestId>();
    generator.subschema_for::<Request>();
    generator.subschema_for::<Answer>();
    let mut definitions = generator.take_definitions(true);
    // What is written has other required fields than what is read.
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.subschema_for::<Frame>();
    generator.subschema_for::<AgentEvent>();
    let replies = replies(&mut generator);
    definitions.extend(generator.take_definitions(true));
    flatten_events(&mut definitions);
    if let Some(request) = definitions.get_mut("Request") {
        add_ids(request);
    }
    if let Some(Value::Array(frames)) = definitions.get_mut("Frame").and_then(|frame| frame.get_mut("oneOf"))
    {
        // Replies are described more precisely below.
        frames.retain(|frame| tag(frame) != Some("response"));
    }
    definitions.insert("Reply".to_owned(), reply(&replies));
    definitions.insert("ClientLine".to_owned(), any_of(&["Request", "Answer"]));
    definitions.insert("ServerLine".to_owned(), any_of(&["Frame", "Reply", "Event"]));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Toolsmith RPC",
        "description": "One JSON object per line. ClientLine is sent to standard input, ServerLine is read from standard output.",
        "protocolVersion": PROTOCOL_VERSION,
        "anyOf": [{ "$ref": "#/$defs/ClientLine" }, { "$ref": "#/$defs/ServerLine" }],
        "$defs": definitions,
    })
}

/// Lists the events of the session among the others: their types are in the same field.
fn flatten_events(definitions: &mut Map<String, Value>) {
    let session = definitions.remove("SessionEvent");
    let session = session.as_ref().map_or(&[][..], variants).to_vec();
    let Some(event) = definitions.get_mut("Event").and_then(Value::as_object_mut) else { return };
    let all = event.remove("oneOf").or_else(|| event.remove("anyOf"));
    let own = all.and_then(|all| all.as_array().cloned()).unwrap_or_default();
    let own = own.into_iter().filter(|variant| tag(variant).is_some());
    event.insert("oneOf".to_owned(), own.chain(session).collect());
}

fn any_of(names: &[&str]) -> Value {
    let all: Vec<Value> = names.iter().map(|name| json!({ "$ref": format!("#/$defs/{name}") })).collect();
    json!({ "anyOf": all })
}

/// Every request can have an id.
fn add_ids(requests: &mut Value) {
    let Some(Value::Array(requests)) = requests.get_mut("oneOf") else { return };
    for request in requests {
        if let Some(Value::Object(fields)) = request.get_mut("properties") {
            let others = std::mem::take(fields);
            fields.insert("id".to_owned(), json!({ "$ref": "#/$defs/RequestId" }));
            fields.extend(others);
        }
    }
}

/// Describes replies: one shape per request, and one for errors.
fn reply(replies: &[(&str, Option<Schema>)]) -> Value {
    let done = replies.iter().map(|(command, data)| {
        let mut properties = Map::from_iter([
            ("id".to_owned(), json!({ "$ref": "#/$defs/RequestId" })),
            ("type".to_owned(), json!({ "const": "response" })),
            ("command".to_owned(), json!({ "const": command })),
            ("success".to_owned(), json!({ "const": true })),
        ]);
        let mut required = vec!["type", "command", "success"];
        if let Some(data) = data {
            properties.insert("data".to_owned(), data.as_value().clone());
            required.push("data");
        }
        json!({ "type": "object", "properties": properties, "required": required })
    });
    let failed = json!({
        "type": "object",
        "description": "The request failed.",
        "properties": {
            "id": { "$ref": "#/$defs/RequestId" },
            "type": { "const": "response" },
            "command": { "type": "string" },
            "success": { "const": false },
            "error": { "type": "string" },
        },
        "required": ["type", "command", "success", "error"],
    });
    json!({ "description": "The reply to a request.", "oneOf": done.chain([failed]).collect::<Vec<_>>() })
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
