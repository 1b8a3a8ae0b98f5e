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

/// A serialised body. What earlier requests have sent already is shared with them: a long conversation would otherwise be copied in
/// every turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    before: Vec<u8>,
    kept: Arc<Vec<u8>>,
    after: Vec<u8>,
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self { before: bytes, ..Self::default() }
    }
}

impl Content {
    /// Returns its parts in order.
    pub(crate) fn parts(self) -> (Vec<u8>, Arc<Vec<u8>>, Vec<u8>) {
        (self.before, self.kept, self.after)
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.before.len() + self.kept.len() + self.after.len()
    }

    /// Returns it in one piece.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        [self.before.as_slice(), self.kept.as_slice(), self.after.as_slice()].concat()
    }
}

impl Body {
    /// Serialises the body around the kept items, which are shared.
    pub(crate) fn to_content(&self) -> Content {
        let mut content = Content { kept: Arc::clone(&self.kept), ..Content::default() };
        content.before.push(b'{');
        for (at, (key, value)) in self.fields.iter().enumerate() {
            let is_behind = self.fields.keys().take(at).any(|earlier| earlier == self.list);
            let bytes = if is_behind { &mut content.after } else { &mut content.before };
            if at > 0 {
                bytes.push(b',');
            }
            // Writing JSON values to memory cannot fail.
            let _ = serde_json::to_writer(&mut *bytes, key);
            bytes.push(b':');
            if key == self.list {
                content.before.push(b'[');
                let mut list = Vec::new();
                write_items(&self.lead, &mut list);
                if !list.is_empty() && !self.kept.is_empty() {
                    list.push(b',');
                }
                content.before.append(&mut list);
                let is_first = self.lead.is_empty() && self.kept.is_empty();
                if !is_first && !self.items.is_empty() {
                    content.after.push(b',');
                }
                write_items(&self.items, &mut list);
                content.after.append(&mut list);
                content.after.push(b']');
            } else {
                let _ = serde_json::to_writer(&mut *bytes, value);
            }
        }
        content.after.push(b'}');
        content
    }

    /// Returns the body as a value, for observers that see and change it.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::from_slice(&self.to_content().to_bytes()).unwrap_or_default()
    }
}
