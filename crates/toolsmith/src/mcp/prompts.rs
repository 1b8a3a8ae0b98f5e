//! Prompts of MCP servers as commands: `/mcp__SERVER__PROMPT` with arguments, in order or as `name=value`.

use std::time::Duration;

use serde_json::{Map, Value, json};
use toolsmith_agent::Prompt;
use toolsmith_mcp::{
    McpError, PromptDefinition, ServerStatus, ServerView, Servers, tool_name, tool_name_prefix,
};
use toolsmith_tool::ContentBlock;

/// Maximum wait for a server whose prompts are not known.
const START_TIME: Duration = Duration::from_secs(10);

/// A prompt of a server, as a command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpPrompt {
    /// Name of the command, without the slash.
    pub name: String,
    /// The server.
    pub server: String,
    /// Its definition.
    pub definition: PromptDefinition,
}

/// Returns the prompts of all enabled servers, as far as known.
pub(crate) fn prompts(servers: &Servers) -> Vec<McpPrompt> {
    let is_used = |server: &ServerView| server.config.enabled && server.status != ServerStatus::Untrusted;
    let enabled = servers.list().into_iter().filter(is_used);
    let own = |server: toolsmith_mcp::ServerView| {
        let name = server.config.name;
        server.prompts.into_iter().map(move |definition| McpPrompt {
            name: tool_name(&name, &definition.name),
            server: name.clone(),
            definition,
        })
    };
    enabled.flat_map(own).collect()
}

/// Replaces a prompt that is a command by what the server makes of it; `None` if it is not a command of a server.
///
/// # Errors
/// Fails if arguments are missing or the server refuses.
pub(crate) async fn expand_command(servers: &Servers, text: &str) -> Result<Option<Prompt>, McpError> {
    let Some(line) = text.trim().strip_prefix("/mcp__") else { return Ok(None) };
    let (rest_of_name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let name = format!("mcp__{rest_of_name}");
    let find = || prompts(servers).into_iter().find(|prompt| prompt.name == name);
    let mut found = find();
    if found.is_none() {
        // The command may come before its server was started, and cached definitions may be older than the prompt.
        let is_meant = |server: &ServerView| {
            server.config.enabled && name.starts_with(&tool_name_prefix(&server.config.name))
        };
        for server in servers.list().into_iter().filter(is_meant) {
            let _ = tokio::time::timeout(START_TIME, servers.start_quietly(&server.config.name)).await;
        }
        found = find();
    }
    let Some(found) = found else { return Ok(None) };
    let arguments = arguments_of(&found, arguments)?;
    let content: Vec<ContentBlock> = servers.prompt(&found.server, &found.definition.name, arguments).await?;
    Ok(Some(Prompt::new(content)))
}

/// Reads arguments: `name=value` for declared names, the others in order. The last one takes what is left.
fn arguments_of(prompt: &McpPrompt, text: &str) -> Result<Map<String, Value>, McpError> {
    let declared = &prompt.definition.arguments;
    let mut arguments = Map::new();
    let mut rest = Vec::new();
    for word in words(text) {
        match word.split_once('=').filter(|(name, _)| declared.iter().any(|argument| argument.name == *name))
        {
            Some((name, value)) => {
                arguments.insert(name.to_owned(), json!(value));
            }
            None => rest.push(word),
        }
    }
    let open: Vec<String> = declared
        .iter()
        .map(|argument| argument.name.clone())
        .filter(|name| !arguments.contains_key(name))
        .collect();
    for (at, name) in open.iter().enumerate().take(rest.len()) {
        let value = if at + 1 == open.len() {
            rest.get(at..).unwrap_or_default().join(" ")
        } else {
            rest[at].clone()
        };
        arguments.insert(name.clone(), json!(value));
    }
    let missing: Vec<&str> = declared
        .iter()
        .filter(|argument| argument.required && !arguments.contains_key(&argument.name))
        .map(|argument| argument.name.as_str())
        .collect();
    if missing.is_empty() {
        return Ok(arguments);
    }
    Err(McpError::Protocol {
        server: prompt.server.clone(),
        reason: format!("the prompt needs: {}. Write /{} {}", missing.join(", "), prompt.name, usage(prompt)),
    })
}

fn usage(prompt: &McpPrompt) -> String {
    let one = |argument: &toolsmith_mcp::PromptArgument| format!("{}=…", argument.name);
    prompt.definition.arguments.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Splits at spaces, except within double quotes.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_quoted, mut has_word) = (String::new(), false, false);
    for c in text.chars() {
        match c {
            '"' => (is_quoted, has_word) = (!is_quoted, true),
            c if c.is_whitespace() && !is_quoted => {
                if has_word || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                has_word = false;
            }
            c => word.push(c),
        }
    }
    if has_word || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_may_be_quoted() {
        assert_eq!(words(r#"a "b c" d="e f" """#), ["a", "b c", "d=e f", ""]);
        assert!(words("  ").is_empty());
    }
}
