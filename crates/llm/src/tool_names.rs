//! Tool names for providers (CONTRACT 5.5). Providers accept only `[a-zA-Z0-9_-]{1,64}`, Gemini only with a letter or `_` in
//! front. A tool with another name is offered under a mapped name, which depends on nothing but its own name; everywhere else
//! it keeps its own.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use toolsmith_host::changes::content_hash;
use toolsmith_tool::is_provider_name;

use crate::{
    message::{AssistantBlock, Message},
    request::{Request, ToolChoice, ToolDefinition},
};

/// Maximum length that every provider accepts.
const MAX_CHARS: usize = 64;
/// Hexadecimal digits of the hash that keeps mapped names apart.
const HASH_DIGITS: usize = 8;

/// Returns the name providers receive.
pub(crate) fn wire_name(name: &str) -> Cow<'_, str> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if is_provider_name(name) {
        return Cow::Borrowed(name);
    }
    let room = MAX_CHARS - HASH_DIGITS - 2;
    let readable: String = name.chars().take(room).map(|c| if is_allowed(c) { c } else { '_' }).collect();
    let lead = if readable.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { "" } else { "_" };
    let hash: String = content_hash(name.as_bytes()).to_string().chars().take(HASH_DIGITS).collect();
    Cow::Owned(format!("{lead}{readable}_{hash}"))
}

/// A request whose tool names providers accept.
pub(crate) struct WireRequest<'a> {
    request: &'a Request<'a>,
    tools: Vec<Cow<'a, ToolDefinition>>,
    messages: Vec<Cow<'a, Message>>,
}

impl<'a> WireRequest<'a> {
    /// Maps a request, without its first `skipped` messages.
    pub(crate) fn new(request: &'a Request<'a>, skipped: usize) -> Self {
        let tools = request.tools.iter().map(|tool| map_tool(tool)).collect();
        let messages = request.messages.iter().skip(skipped).map(|message| map_message(message)).collect();
        Self { request, tools, messages }
    }

    pub(crate) fn request(&self) -> Request<'_> {
        Request {
            messages: self.messages.iter().map(Cow::as_ref).collect(),
            tools: self.tools.iter().map(Cow::as_ref).collect(),
            tool_choice: match &self.request.tool_choice {
                ToolChoice::Tool(name) => ToolChoice::Tool(wire_name(name).into_owned()),
                other => other.clone(),
            },
            model: self.request.model,
            system: self.request.system,
            thinking: self.request.thinking,
            max_tokens: self.request.max_tokens,
            temperature: self.request.temperature,
            cache_key: self.request.cache_key,
            exchange: None,
            shared: None,
        }
    }
}

/// Returns the own names of the mapped tools of a request, by their mapped names.
pub(crate) fn mapped_names(request: &Request<'_>) -> HashMap<String, String> {
    let own: HashSet<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    request
        .tools
        .iter()
        .filter_map(|tool| match wire_name(&tool.name) {
            Cow::Owned(mapped) if !own.contains(mapped.as_str()) => Some((mapped, tool.name.clone())),
            _ => None,
        })
        .collect()
}

fn map_tool(tool: &ToolDefinition) -> Cow<'_, ToolDefinition> {
    match wire_name(&tool.name) {
        Cow::Borrowed(_) => Cow::Borrowed(tool),
        Cow::Owned(name) => Cow::Owned(ToolDefinition { name, ..tool.clone() }),
    }
}

fn map_message(message: &Message) -> Cow<'_, Message> {
    let is_mapped = |name: &str| matches!(wire_name(name), Cow::Owned(_));
    match message {
        Message::Assistant(answer) if answer.tool_calls().any(|call| is_mapped(&call.name)) => {
            let mut answer = answer.clone();
            for block in &mut answer.content {
                if let AssistantBlock::ToolCall(call) = block {
                    call.name = wire_name(&call.name).into_owned();
                }
            }
            Cow::Owned(Message::Assistant(answer))
        }
        Message::ToolResult(result) if is_mapped(&result.tool_name) => {
            let mut result = result.clone();
            result.tool_name = wire_name(&result.tool_name).into_owned();
            Cow::Owned(Message::ToolResult(result))
        }
        message => Cow::Borrowed(message),
    }
}

#[cfg(test)]
mod tests {
    use super::wire_name;

    #[test]
    fn c5_5_names_that_providers_accept_stay() {
        for name in ["read", "mcp__a-b__c", "_x", &"a".repeat(64)] {
            assert_eq!(wire_name(name), name);
        }
    }

    #[test]
    fn c5_5_other_names_get_a_readable_name_of_their_own() {
        assert_eq!(wire_name("odoo.search"), "odoo_search_f8eb12b6");
        let names =
            ["a.b", "a b", "a/b", "a:b", "9lives", "-x", "ünïcode", &"a".repeat(65), &"日".repeat(100)];
        let mapped: std::collections::HashSet<String> =
            names.iter().map(|name| wire_name(name).into_owned()).collect();
        assert_eq!(mapped.len(), names.len());
        for name in mapped {
            assert!(name.len() <= 64 && wire_name(&name) == name, "{name}");
        }
    }
}
