//! Tests that the schema leaves nothing out.

use super::*;

#[test]
fn every_request_has_its_reply() {
    let mut generator = SchemaGenerator::default();
    let replies: Vec<String> = replies(&mut generator).iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(replies, variant_names::<Request>());
}

#[test]
fn events_of_the_agent_and_of_the_session_are_in_one_list() {
    let schema = whole();
    let names: Vec<&str> = variants(&schema["$defs"]["Event"]).iter().filter_map(tag).collect();
    for name in ["agent_start", "message_update", "session_switch", "auto_retry_end", "todo_reminder"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(names.iter().all(|name| names.iter().filter(|other| *other == name).count() == 1), "{names:?}");
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
