//! The body of an encoded request: its fields, and the list of the conversation's items, most of which are kept as text.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::encoded_history::write_items;

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Body {
    /// All fields. The one called `list` is empty and marks the place of the list.
    pub(super) fields: Map<String, Value>,
    pub(super) list: &'static str,
    /// Items before the conversation.
    pub(super) lead: Vec<Value>,
    /// Items that were encoded before, separated by commas.
    pub(super) kept: Arc<Vec<u8>>,
    /// Items of this request.
    pub(super) items: Vec<Value>,
}

impl Body {
    /// Serialises the body.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut list = Vec::new();
        write_items(&self.lead, &mut list);
        let mut tail = Vec::new();
        write_items(&self.items, &mut tail);
        let mut bytes = Vec::with_capacity(list.len() + self.kept.len() + tail.len() + 16 * 1024);
        bytes.push(b'{');
        for (key, value) in &self.fields {
            if bytes.len() > 1 {
                bytes.push(b',');
            }
            // Writing JSON values to memory cannot fail.
            let _ = serde_json::to_writer(&mut bytes, key);
            bytes.push(b':');
            if key == self.list {
                bytes.push(b'[');
                let mut is_first = true;
                for part in [list.as_slice(), self.kept.as_slice(), tail.as_slice()] {
                    if !part.is_empty() {
                        if !is_first {
                            bytes.push(b',');
                        }
                        bytes.extend_from_slice(part);
                        is_first = false;
                    }
                }
                bytes.push(b']');
            } else {
                let _ = serde_json::to_writer(&mut bytes, value);
            }
        }
        bytes.push(b'}');
        bytes
    }

    /// Returns the body as a value, for observers that see and change it.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::from_slice(&self.to_bytes()).unwrap_or_default()
    }
}
