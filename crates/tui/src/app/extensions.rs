//! What extensions add to the interface besides commands: keyboard shortcuts, messages with renderers of their own, and the
//! end of the session.

use std::time::Instant;

use serde_json::{Value, json};
use toolsmith::{
    llm::{ContentBlock, InputMessage},
    tool::{CancelToken, RenderOptions, RendererKind},
};

use super::{
    effect::Effect,
    event::Event,
    interface::App,
    transcript::{Item, LAST_DRAWING},
};
use crate::{
    blocks::CustomBlock,
    input::Key,
    keys::{normalised, parse_key},
    text::Row,
    tool_text,
};

/// Rows of a message; the rest is cut.
const MAX_ROWS: usize = 2000;

/// A shortcut of an extension.
pub(super) struct Shortcut {
    key: Key,
    /// The notation that the extension used.
    name: String,
}

/// A message of an extension. It is drawn by the extension's renderer, if there is one for its type.
#[derive(Clone, Debug)]
pub(super) struct MessageItem {
    id: u64,
    pub(super) block: CustomBlock,
    /// The message as the renderer receives it.
    value: Value,
    asked: Option<Instant>,
    /// The drawing is there, or is not waited for any longer.
    pub(super) is_drawn: bool,
}

/// Converts a message with a type of its own; `None` if it is not for people.
pub(super) fn message_item(message: &InputMessage, id: u64) -> Option<Item> {
    let custom_type = message.custom_type.clone()?;
    if message.display == Some(false) {
        return None;
    }
    custom_item(&custom_type, &message.content, message.details.as_ref(), message.timestamp, id)
}

pub(super) fn custom_item(
    custom_type: &str,
    content: &[ContentBlock],
    details: Option<&Value>,
    timestamp: u64,
    id: u64,
) -> Option<Item> {
    let text: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    let mut block = CustomBlock::default();
    (block.label, block.text) = (custom_type.to_owned(), text.join("\n"));
    let value = json!({
        "role": "custom",
        "customType": custom_type,
        "content": content,
        "display": true,
        "details": details,
        "timestamp": timestamp,
    });
    Some(Item::Message(Box::new(MessageItem { id, block, value, asked: None, is_drawn: false })))
}

impl App {
    /// Reads the shortcuts of a session that was opened.
    pub(super) fn load_shortcuts(&mut self) {
        let shortcuts = self.session.as_ref().map(toolsmith::Session::shortcuts).unwrap_or_default();
        let parsed = shortcuts
            .into_iter()
            .filter_map(|shortcut| Some(Shortcut { key: parse_key(&shortcut.key)?, name: shortcut.key }));
        self.shortcuts = parsed.collect();
    }

    /// Runs the shortcut of a key; returns whether there is one.
    pub(super) fn shortcut_key(&mut self, key: &Key) -> bool {
        let found = self.shortcuts.iter().find(|shortcut| shortcut.key == normalised(key));
        let (Some(shortcut), Some(session)) = (found, self.session.clone()) else { return false };
        let name = shortcut.name.clone();
        self.spawn(async move {
            match session.run_shortcut(&name, CancelToken::new()).await {
                Ok(()) => Event::Redraw,
                Err(error) => Event::Do(Effect::Error(error.to_string())),
            }
        });
        true
    }

    /// Asks extensions to draw their messages that are about to be shown.
    pub(super) fn draw_messages(&mut self) {
        let Some(session) = &self.session else { return };
        let columns = self.columns();
        for item in self.transcript.items.iter_mut().skip(self.transcript.committed) {
            let Item::Message(item) = item else { continue };
            if item.is_drawn {
                continue;
            }
            match item.asked {
                Some(asked) => item.is_drawn = asked.elapsed() >= LAST_DRAWING,
                None => {
                    item.asked = Some(Instant::now());
                    let (session, events) = (session.clone(), self.events.clone());
                    let (id, label, value) = (item.id, item.block.label.clone(), item.value.clone());
                    let mut options = RenderOptions::new(columns);
                    options.expanded = self.is_expanded;
                    tokio::spawn(async move {
                        let kind = RendererKind::Message;
                        let drawn = session.render_custom(kind, &label, &value, &options).await;
                        let rows = drawn.map(|drawn| tool_text::rows(&drawn.lines, MAX_ROWS));
                        events.send(Event::MessageDrawn(id, rows));
                    });
                }
            }
        }
    }

    pub(super) fn message_drawn(&mut self, id: u64, rows: Option<Vec<Row>>) {
        let mut items = self.transcript.items.iter_mut().rev();
        let found = items.find_map(|item| match item {
            Item::Message(item) if item.id == id => Some(item),
            _ => None,
        });
        if let Some(item) = found.filter(|item| !item.is_drawn) {
            item.is_drawn = true;
            item.block.drawn = rows;
        }
    }

    /// Returns a number for a message that was not used before.
    pub(super) fn next_message(&mut self) -> u64 {
        self.message_number += 1;
        self.message_number
    }

    /// Ends the program if an extension asked for it and nothing runs.
    pub(super) fn follow_shutdown(&mut self) {
        let is_requested = self.session.as_ref().is_some_and(toolsmith::Session::is_shutdown_requested);
        if is_requested && self.running.is_none() {
            self.leave(0);
        }
    }
}
