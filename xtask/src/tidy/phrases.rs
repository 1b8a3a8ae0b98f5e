//! Phrases that must not return to documentation, messages and comments, each with what to write instead.

use std::path::Path;

/// Phrases that need decoding, in lower case.
const PHRASES: &[(&str, &str)] = &[
    ("is no setting", "unknown setting"),
    ("came instead", "received … instead"),
    ("come about", "occur"),
    ("came about", "occurred"),
    ("goes over to", "switches to"),
    ("go over to", "switch to"),
    ("put right", "fix"),
    (" mended", "repaired"),
    ("relatives", "compatible agents"),
    ("lets them run", "trusts them"),
    ("lets them count", "activates them"),
    ("nobody decided", "was not applied"),
    ("beginning of an id", "id prefix"),
    ("is there already;", "already exists"),
    ("what is known of", "metadata of"),
    ("in any case", "always"),
];

/// Summary lines state what an item is or does; these words start a question.
const QUESTIONS: &[&str] = &["What ", "Who ", "Whether ", "Why ", "Why.", "What."];

/// Files with the table above and the contract, whose wording is fixed elsewhere.
const EXEMPT: &[&str] = &["xtask/src/tidy/phrases.rs", "docs/contract.md"];

/// Returns the phrases of a file that must be rewritten.
pub(super) fn check(path: &Path, text: &str) -> Vec<String> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_test = path.iter().any(|part| part == "tests") || path.to_string_lossy().ends_with("_tests.rs");
    if !matches!(extension, "rs" | "md") || is_test || EXEMPT.iter().any(|exempt| path.ends_with(exempt)) {
        return Vec::new();
    }
    let mut broken = Vec::new();
    let mut is_first = true;
    for (number, line) in text.lines().enumerate() {
        let lower = line.to_lowercase();
        for (phrase, better) in PHRASES.iter().filter(|(phrase, _)| lower.contains(phrase)) {
            broken.push(format!("line {}: write \"{better}\" instead of \"{phrase}\"", number + 1));
        }
        let summary = line.trim_start().strip_prefix("/// ").unwrap_or_default();
        if is_first && QUESTIONS.iter().any(|word| summary.starts_with(word)) {
            broken
                .push(format!("line {}: start the summary with a verb or a noun: \"{summary}\"", number + 1));
        }
        is_first = !line.trim_start().starts_with("///");
    }
    broken
}

#[cfg(test)]
#[path = "phrases_tests.rs"]
mod tests;
