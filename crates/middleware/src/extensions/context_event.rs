//! The `context` event: what the model will receive, changed for one request. A module keeps the messages of its last
//! request, so only new ones are sent to it, and only what it changed comes back.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value, json};
use toolsmith_llm::Message;
use toolsmith_tool::ToolContext;

use super::{
    messages::{message_from_extension, message_to_extension},
    runner::{Extensions, Module},
};

/// The messages a module has, by event.
#[derive(Default)]
pub(super) struct Conversations {
    by_event: HashMap<&'static str, Sent>,
}

#[derive(Default)]
struct Sent {
    version: u64,
    messages: Vec<Arc<Message>>,
}

/// Lets every listening module change the messages, in load order.
pub(super) async fn edit(
    extensions: &Extensions,
    event: &'static str,
    messages: &mut Vec<Arc<Message>>,
    context: &ToolContext,
) {
    for module in extensions.listening(event) {
        match edit_one(extensions, &module, event, messages, context).await {
            Ok(Some(edited)) => *messages = edited,
            Ok(None) => {}
            Err(error) => extensions.notice(format!("Extension {}: {event}: {error}", module.name())),
        }
    }
}

async fn edit_one(
    extensions: &Extensions,
    module: &Module,
    event: &'static str,
    messages: &[Arc<Message>],
    context: &ToolContext,
) -> Result<Option<Vec<Arc<Message>>>, String> {
    let mut conversations = module.conversations.lock().await;
    let sent = conversations.by_event.entry(event).or_default();
    let same = |(one, other): &(&Arc<Message>, &Arc<Message>)| Arc::ptr_eq(one, other);
    let mut keep = sent.messages.iter().zip(messages).take_while(same).count();
    loop {
        let from = sent.version;
        sent.version += 1;
        let add: Vec<Value> = messages[keep..].iter().map(|message| message_to_extension(message)).collect();
        let payload =
            json!({ "type": event, "keep": keep, "add": add, "from": from, "version": sent.version });
        // A failure was reported already.
        let Ok(answer) = extensions.call(module, event, payload, context.clone()).await else {
            *sent = Sent { version: sent.version, messages: Vec::new() };
            return Ok(None);
        };
        if answer["stale"] == true && keep > 0 {
            keep = 0;
            continue;
        }
        sent.messages = messages.to_vec();
        return match answer.get("messages").and_then(Value::as_array) {
            Some(parts) => read(parts, messages).map(Some),
            None => Ok(None),
        };
    }
}

/// Reads the answer: ranges of unchanged messages, and new ones.
fn read(parts: &[Value], messages: &[Arc<Message>]) -> Result<Vec<Arc<Message>>, String> {
    let mut edited = Vec::with_capacity(messages.len());
    for part in parts {
        match part {
            Value::Array(range) => {
                let at = |index: usize| {
                    range.get(index).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok())
                };
                let kept = at(0).zip(at(1)).and_then(|(from, to)| messages.get(from..to));
                edited.extend_from_slice(kept.ok_or("its answer names messages that do not exist")?);
            }
            message => edited.push(Arc::new(message_from_extension(message.clone())?)),
        }
    }
    Ok(edited)
}
