//! Resources that a prompt mentions as `@SERVER:URI`.

use toolsmith_agent::Prompt;
use toolsmith_mcp::{McpError, Servers};
use toolsmith_tool::ContentBlock;

/// Most resources of one prompt.
const MAX_MENTIONS: usize = 20;

/// Adds the content of mentioned resources in front of the prompt's text, once each.
pub(crate) async fn attach_resources(servers: &Servers, prompt: Prompt) -> Result<Prompt, McpError> {
    let names: Vec<String> = servers
        .list()
        .into_iter()
        .filter(|server| server.config.enabled)
        .map(|server| server.config.name)
        .collect();
    let mut found: Vec<(String, String)> = Vec::new();
    for text in prompt.content.iter().filter_map(ContentBlock::as_text) {
        for mention in mentions(text, &names) {
            if !found.contains(&mention) && found.len() < MAX_MENTIONS {
                found.push(mention);
            }
        }
    }
    let mut content = Vec::new();
    for (server, uri) in found {
        for block in servers.read_resource(&server, &uri).await? {
            content.push(match block {
                ContentBlock::Text { text } => ContentBlock::text(format!(
                    "<resource server=\"{server}\" uri=\"{uri}\">\n{}\n</resource>",
                    text.trim_end()
                )),
                other => other,
            });
        }
    }
    content.extend(prompt.content);
    Ok(Prompt::new(content))
}

/// Finds `@SERVER:URI` at the beginning of words. Punctuation after it is not part of it.
fn mentions(text: &str, servers: &[String]) -> Vec<(String, String)> {
    let mention = |word: &str| {
        let (server, uri) = word.strip_prefix('@')?.split_once(':')?;
        let uri = uri.trim_end_matches(['.', ',', ';', '!', '?', ')', '"', '\'']);
        (servers.iter().any(|name| name == server) && !uri.is_empty())
            .then(|| (server.to_owned(), uri.to_owned()))
    };
    text.split_whitespace().filter_map(mention).collect()
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn mentions_are_words_with_the_name_of_a_server() {
        let servers = ["docs".to_owned()];
        let found = mentions(
            "Compare @docs:file:///a.md, (@docs:x) with @other:y and mail@docs:z @docs: now",
            &servers,
        );
        assert_eq!(found, [("docs".to_owned(), "file:///a.md".to_owned())]);
    }
}
