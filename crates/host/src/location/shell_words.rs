//! Words of a shell command with their quotes taken off, found without running a shell.

use std::borrow::Cow;

use super::commands::ansi_c;

/// Characters that end a word outside of quotes, besides spaces.
const OPERATORS: &str = ";&|()<>=`";
/// Maximum depth of command lines that are in quotes of other command lines.
const MAX_DEPTH: usize = 3;

/// Returns the words of a command. Text in quotes is a word, and may be a command line of its own (`bash -c "a.sh && b.sh"`) or
/// the value of an option, so the words in it count too.
pub fn shell_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    add_words(command, 0, &mut words);
    words
}

fn add_words(command: &str, depth: usize, words: &mut Vec<String>) {
    let outer = split(command);
    let is_line = |word: &&String| word.contains(|c: char| c.is_whitespace() || OPERATORS.contains(c));
    let inner: Vec<String> =
        if depth < MAX_DEPTH { outer.iter().filter(is_line).cloned().collect() } else { Vec::new() };
    words.extend(outer);
    for line in inner {
        words.extend(
            line.split_once('=').map(|(_, value)| value.to_owned()).filter(|value| !value.is_empty()),
        );
        // Quotes of the outer line that were not meant as such separate words too.
        words.extend(
            line.split(['\'', '"'])
                .filter(|part| !part.trim().is_empty() && *part != line)
                .map(str::to_owned),
        );
        add_words(&line, depth + 1, words);
    }
}

fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '$') if chars.as_str().starts_with('\'') => {
                chars = ansi_c(&chars.as_str()[1..], &mut word).chars();
            }
            (None, '$') if chars.as_str().starts_with('"') => {}
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') if !cfg!(windows) => word.extend(chars.next()),
            (None, c) if c.is_whitespace() || OPERATORS.contains(c) => words.push(std::mem::take(&mut word)),
            (_, c) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.trim().is_empty());
    words
}

/// Returns a word in the form that [`shell_words`] reads as this word.
pub fn quoted_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:,@%+~".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\"'\"'")))
}

#[cfg(test)]
#[path = "shell_words_tests.rs"]
mod tests;
