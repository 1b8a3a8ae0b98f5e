//! Tests that the schema leaves nothing out.

use super::*;

#[test]
fn every_request_has_its_reply() {
    let mut generator = SchemaGenerator::default();
    let replies: Vec<String> = replies(&mut generator).iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(replies, variant_names::<Request>());
}

/// `AgentEvent` becomes `agent_event`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The variants of an enum, from its source: the enum belongs to another crate, and nobody outside can list them.
fn variants_in_source(source: &str, name: &str) -> Vec<String> {
    let (_, rest) = source.split_once(&format!("pub enum {name} {{\n")).unwrap();
    let body = rest.split_once("\n}\n").unwrap().0;
    body.lines()
        .filter_map(|line| line.strip_prefix("    ").filter(|line| line.starts_with(char::is_uppercase)))
        .map(|line| line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_event_of_the_session_is_described() {
    let described = variant_names::<EventShape>();
    let agent = variants_in_source(include_str!("../../../../agent/src/events.rs"), "AgentEvent");
    assert!(agent.len() > 10, "{agent:?}");
    for name in agent.iter().filter(|name| *name != "Session") {
        assert!(described.contains(&snake_case(name)), "{name} is missing in events.rs");
    }
    let session = variants_in_source(include_str!("../../../../tool/src/session_event.rs"), "SessionEvent");
    assert_eq!(session.len(), 11, "{session:?}");
    for name in &session {
        let (bare, prefixed) = (snake_case(name), format!("session_{}", snake_case(name)));
        assert!(described.contains(&bare) || described.contains(&prefixed), "{name} is missing in events.rs");
    }
}

#[test]
fn every_reference_of_the_schema_leads_somewhere() {
    fn walk(value: &Value, definitions: &Map<String, Value>) {
        match value {
            Value::Object(fields) => {
                if let Some(path) = fields.get("$ref").and_then(Value::as_str) {
                    let name = path.strip_prefix("#/$defs/").unwrap();
                    assert!(definitions.contains_key(name), "{path}");
                }
                fields.values().for_each(|value| walk(value, definitions));
            }
            Value::Array(values) => values.iter().for_each(|value| walk(value, definitions)),
            _ => {}
        }
    }
    let schema = whole();
    walk(&schema, schema["$defs"].as_object().unwrap());
}
