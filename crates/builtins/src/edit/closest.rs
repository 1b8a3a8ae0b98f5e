//! What in a file is most like a text that is not in it, so that the model sees what it got wrong.

use std::collections::HashMap;

/// Lines shown.
const MAX_SHOWN: usize = 20;
/// Characters of a line shown.
const MAX_LINE: usize = 200;
/// Less than this much in common is no likeness, in tenths.
const ENOUGH: usize = 3;
/// More lines than this in the text are not looked at.
const MAX_LINES: usize = 200_000;

pub(super) struct Near {
    /// From one.
    pub(super) line: usize,
    /// Numbered lines.
    pub(super) text: String,
}

/// The window of as many lines as `wanted` that shares the most words with it.
pub(super) fn closest(text: &str, wanted: &str) -> Option<Near> {
    let wanted_lines = wanted.trim_matches('\n').split('\n').count();
    let mut missing: HashMap<&str, usize> = HashMap::new();
    let mut total = 0;
    for word in words(wanted) {
        *missing.entry(word).or_default() += 1;
        total += word.len();
    }
    let lines: Vec<&str> = text.split('\n').take(MAX_LINES).collect();
    // The window moves line by line: words that enter are counted, words that leave are uncounted.
    let mut here: HashMap<&str, usize> = HashMap::new();
    let (mut shared, mut best) = (0, (0, 0));
    for (at, line) in lines.iter().enumerate() {
        for word in words(line) {
            let Some(wanted) = missing.get(word) else { continue };
            let count = here.entry(word).or_default();
            *count += 1;
            if *count <= *wanted {
                shared += word.len();
            }
        }
        if at >= wanted_lines {
            for word in words(lines[at - wanted_lines]) {
                let Some(wanted) = missing.get(word) else { continue };
                let count = here.entry(word).or_default();
                if *count <= *wanted {
                    shared -= word.len();
                }
                *count -= 1;
            }
        }
        if shared > best.0 {
            best = (shared, (at + 1).saturating_sub(wanted_lines));
        }
    }
    let (shared, start) = best;
    if total == 0 || shared * 10 < total * ENOUGH {
        return None;
    }
    let shown = lines.iter().enumerate().skip(start).take(wanted_lines.min(MAX_SHOWN));
    let cut = |line: &str| match line.char_indices().nth(MAX_LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    };
    let text: Vec<String> = shown.map(|(at, line)| format!("{}\t{}", at + 1, cut(line))).collect();
    Some(Near { line: start + 1, text: text.join("\n") })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
