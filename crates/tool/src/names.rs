//! Tool names: validation, and suggestions for misspelled ones.

use thiserror::Error;

use crate::visible_text::is_hidden;

/// Maximum length of a name. Providers accept less; longer names are offered under a mapped name.
const MAX_NAME_CHARS: usize = 256;
/// Maximum length of a name that every provider accepts.
const MAX_PROVIDER_CHARS: usize = 64;
/// Maximum number of suggestions in an error.
const MAX_SUGGESTIONS: usize = 3;
/// Longer words are not compared: the measure is quadratic, and nothing so long is a misspelling.
const MAX_COMPARED_CHARS: usize = 128;

/// Invalid tool names.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name is empty.
    #[error("A tool needs a non-empty name")]
    Empty,
    /// The name is too long.
    #[error("Tool name \"{start}…\" has {chars} characters; at most {MAX_NAME_CHARS} are allowed")]
    TooLong {
        /// The first characters of the name.
        start: String,
        /// Length of the name.
        chars: usize,
    },
    /// The name contains a character that cannot be shown.
    #[error("Tool name {name:?} contains {found:?}; control and invisible characters are not allowed")]
    Character {
        /// The whole name.
        name: String,
        /// The first invalid character.
        found: char,
    },
}

/// Checks that `name` can name a tool. Names that providers do not accept are allowed: such a tool is offered to models under
/// a mapped name (CONTRACT 5.5).
///
/// # Errors
/// Fails with the rule the name breaks.
pub fn check_tool_name(name: &str) -> Result<(), NameError> {
    if name.trim().is_empty() {
        return Err(NameError::Empty);
    }
    let chars = name.chars().count();
    if chars > MAX_NAME_CHARS {
        return Err(NameError::TooLong { start: name.chars().take(24).collect(), chars });
    }
    match name.chars().find(|c| c.is_control() || is_hidden(*c)) {
        Some(found) => Err(NameError::Character { name: name.to_owned(), found }),
        None => Ok(()),
    }
}

/// Returns whether every model provider accepts `name` as it is.
pub fn is_provider_name(name: &str) -> bool {
    name.len() <= MAX_PROVIDER_CHARS
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// Returns the known names most similar to `wanted`, best first, at most three; empty if nothing is close.
///
/// Case is ignored, and a common last `_` segment counts as close: models often drop or invent a prefix.
pub fn closest_names<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    if wanted.chars().count() > MAX_COMPARED_CHARS {
        return Vec::new();
    }
    let last_segment = |name: &str| name.rsplit('_').next().unwrap_or_default().to_owned();
    let wanted_segment = last_segment(&wanted);
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .filter(|name| name.chars().count() <= MAX_COMPARED_CHARS)
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let mut score = strsim::jaro_winkler(&wanted, &lower);
            let edits = strsim::damerau_levenshtein(&wanted, &lower);
            if wanted_segment.len() > 2 && last_segment(&lower) == wanted_segment {
                score = score.max(0.9);
            }
            let near = edits <= 2 && edits < wanted.chars().count();
            (score >= 0.82 || near).then_some((score, name))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Returns whether a model that wrote `wanted` meant a tool of an MCP server: with single underscores, with `-` for `_`, or
/// with the server's name doubled.
pub(crate) fn is_mcp_alias(wanted: &str, server: &str, tool: &str) -> bool {
    let Some(wanted) = wanted.strip_prefix("mcp_") else { return false };
    let wanted = squeeze(wanted);
    let wanted = wanted.trim_start_matches('_');
    let (server, tool) = (squeeze(server), squeeze(tool));
    let tool = tool.trim_start_matches('_');
    let rest = |text: &str| {
        text.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix('_')).map(str::to_owned)
    };
    let Some(rest_of_name) = rest(wanted) else { return false };
    rest_of_name == tool || rest(&rest_of_name).is_some_and(|rest| rest == tool)
}

/// Makes everything but letters and digits one underscore.
fn squeeze(text: &str) -> String {
    let mut squeezed = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if c != '_' || !squeezed.ends_with('_') {
            squeezed.push(c);
        }
    }
    squeezed
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
