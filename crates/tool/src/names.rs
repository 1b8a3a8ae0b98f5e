//! Tool names: which ones can be used at all, and which known ones resemble a wrong one.

use thiserror::Error;

/// The longest name every model provider accepts.
const MAX_NAME_CHARS: usize = 64;
/// How many similar names an error offers.
const MAX_SUGGESTIONS: usize = 3;
/// Longer words are not compared: the measure is quadratic, and nothing so long is a misspelling.
const MAX_COMPARED_CHARS: usize = 128;

/// Why a name cannot be a tool's name. One such tool would make providers refuse every request of a session,
/// so it is refused here instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NameError {
    /// Nothing there.
    #[error("A tool needs a non-empty name")]
    Empty,
    /// More than providers take.
    #[error("Tool name \"{start}…\" has {chars} characters; model providers accept at most {MAX_NAME_CHARS}")]
    TooLong {
        /// The first characters of the name.
        start: String,
        /// How many it has.
        chars: usize,
    },
    /// A character that providers refuse.
    #[error(
        "Tool name {name:?} contains {found:?}; model providers accept only ASCII letters, digits, \"_\" and \"-\""
    )]
    Character {
        /// The whole name.
        name: String,
        /// The first character at fault.
        found: char,
    },
}

/// Checks that `name` can be given to every model provider.
///
/// # Errors
/// Says which rule the name breaks.
pub fn check_tool_name(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    let chars = name.chars().count();
    if chars > MAX_NAME_CHARS {
        return Err(NameError::TooLong { start: name.chars().take(24).collect(), chars });
    }
    match name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))) {
        Some(found) => Err(NameError::Character { name: name.to_owned(), found }),
        None => Ok(()),
    }
}

/// The known names most like `wanted`, best first, at most three; empty when nothing is close.
///
/// Case is ignored, and a shared last `_` segment counts as close: models often drop or invent a prefix.
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

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
