//! The prompt: words of the command line, files named with `@`, and standard input.

use std::{
    fs::File,
    io::{self, IsTerminal as _, Read},
    path::Path,
};

use anyhow::Result;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use toolsmith::Home;
use toolsmith_agent::Prompt;
use toolsmith_mcp::config::ServerConfig;
use toolsmith_tool::ContentBlock;

use crate::failure::{self, Problem};

/// Maximum size, larger than any context window.
const MAX_BYTES: u64 = 16 << 20;

/// Image types by their first bytes.
const IMAGES: &[(&[u8], &str)] =
    &[(b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif")];

/// Builds the prompt.
pub(crate) fn read(words: &[String], cwd: &Path, servers: &[ServerConfig]) -> Result<Prompt> {
    let mut said: Vec<&str> = Vec::new();
    let mut files = Vec::new();
    let mut images = Vec::new();
    for word in words {
        match word.strip_prefix('@').filter(|path| !path.is_empty()) {
            // A resource of an MCP server, which the session reads.
            Some(mention) if is_resource(mention, servers) => said.push(word),
            Some(path) => match read_file(path, cwd)? {
                Content::Text(text) => files.push(file_block(path, &text)),
                Content::Image(image) => images.push(image),
            },
            None => {
                said.push(word);
                for path in mentioned(word).filter(|path| !is_resource(path, servers)) {
                    match read_file(path, cwd) {
                        Ok(Content::Text(text)) => files.push(file_block(path, &text)),
                        Ok(Content::Image(image)) => images.push(image),
                        // It may be something else, such as the name of a person. A path that cannot be read is worth a word.
                        Err(error) if path.contains(['/', '.']) => {
                            let what = format!("@{path} was sent as text: {error}");
                            failure::warn_all(&[toolsmith::Warning::new(what)]);
                        }
                        Err(_) => {}
                    }
                }
            }
        }
    }
    let piped = read_piped()?;
    let parts = [files.join("\n"), piped, said.join(" ")];
    let text = parts.into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n\n");
    let mut content = images;
    if !text.is_empty() {
        content.push(ContentBlock::text(text));
    }
    if content.is_empty() {
        let hint = "Use `toolsmith -p \"PROMPT\"`, or pipe the prompt in. `toolsmith demo` shows an example.";
        return Err(Problem::wrong_use("the prompt is empty").hint(hint).into());
    }
    Ok(Prompt::new(content))
}

fn file_block(path: &str, text: &str) -> String {
    format!("<file path=\"{path}\">\n{}\n</file>", text.trim_end())
}

/// Returns the paths that a text mentions with `@` at the start of a word, without the punctuation after them.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .filter_map(|word| word.trim_start_matches(['(', '"', '\'']).strip_prefix('@'))
        .map(|path| path.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']))
        .filter(|path| !path.is_empty())
}

/// Returns whether a mention is `SERVER:URI` of a configured server.
fn is_resource(mention: &str, servers: &[ServerConfig]) -> bool {
    let server = mention.split_once(':').map(|(server, _)| server);
    server.is_some_and(|server| servers.iter().any(|config| config.name == server))
}

/// Returns the text itself, or that of the file named with `@`.
pub(super) fn text_or_file(text: &str, cwd: &Path) -> Result<String> {
    match text.strip_prefix('@') {
        None => Ok(text.to_owned()),
        Some(path) => match read_file(path, cwd)? {
            Content::Text(text) => Ok(text),
            Content::Image(_) => Err(Problem::wrong_use(format!("{path} is an image, not text")).into()),
        },
    }
}

enum Content {
    Text(String),
    Image(ContentBlock),
}

fn read_file(path: &str, cwd: &Path) -> Result<Content> {
    let place = toolsmith::expand_path(path, cwd, &Home::from_environment()?);
    let wrong = |why: String| Problem::wrong_use(format!("{path}: {why}"));
    let found = std::fs::metadata(&place).map_err(|error| wrong(error.to_string()))?;
    if !found.is_file() {
        return Err(wrong("is not a file".to_owned()).into());
    }
    let file = File::open(&place).map_err(|error| wrong(error.to_string()))?;
    let bytes = read_all(file).map_err(|error| wrong(error.to_string()))?;
    let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let image = IMAGES.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, kind)| *kind);
    if let Some(kind) = image.or(webp.then_some("image/webp")) {
        let data = BASE64_STANDARD.encode(&bytes);
        return Ok(Content::Image(ContentBlock::Image { data, mime_type: kind.to_owned() }));
    }
    String::from_utf8(bytes)
        .map(Content::Text)
        .map_err(|_| wrong("is neither text nor an image".to_owned()).into())
}

/// Reads piped input. Does not wait for a terminal.
fn read_piped() -> Result<String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Ok(String::new());
    }
    let bytes =
        read_all(stdin.lock()).map_err(|error| Problem::failed(format!("standard input: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

fn read_all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("more than {} MB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}
