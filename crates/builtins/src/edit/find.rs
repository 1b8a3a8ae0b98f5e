//! Where an edit applies: exactly as written, else line by line with only whitespace and quotes different.

use super::{closest::closest, source::Source};

/// A part of the text and what comes in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
    /// Found by its words only.
    pub(super) loose: bool,
}

/// Reasons why an edit does not apply.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotFound {
    Empty,
    Nowhere { wanted: String },
    Several { places: Vec<usize> },
}

impl NotFound {
    pub(super) fn tell(&self, source: &Source) -> String {
        match self {
            Self::Empty => {
                "oldText is empty. Use write to make a file, or give the text before which to insert."
                    .to_owned()
            }
            Self::Several { places } => {
                let mut lines: Vec<String> =
                    places.iter().take(10).map(|at| source.line_at(*at).to_string()).collect();
                if places.len() > 10 {
                    lines.push("…".to_owned());
                }
                format!(
                    "oldText is there {} times (lines {}). Give more of the lines around it, or set all to true.",
                    places.len(),
                    lines.join(", ")
                )
            }
            Self::Nowhere { wanted } => match closest(source.text(), wanted) {
                Some(near) => format!(
                    "oldText was not found. The closest text is at line {}:\n{}",
                    near.line, near.text
                ),
                None => "oldText was not found, and nothing in the file is like it. Read the file again."
                    .to_owned(),
            },
        }
    }
}

/// The places of one edit: one, or with `all` every one.
pub(super) fn find(text: &str, old: &str, new: &str, all: bool) -> Result<Vec<Place>, NotFound> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old.is_empty() {
        return Err(NotFound::Empty);
    }
    let exact: Vec<usize> = text.match_indices(&old).map(|(at, _)| at).collect();
    let place = |start: usize| Place { start, end: start + old.len(), text: new.clone(), loose: false };
    match exact.as_slice() {
        [] => {}
        [one] => return Ok(vec![place(*one)]),
        _ if all => return Ok(exact.into_iter().map(place).collect()),
        _ => return Err(NotFound::Several { places: exact }),
    }
    for (old, new) in [(old.clone(), new.clone()), (without_numbers(&old), without_numbers(&new))] {
        for plain in [without_end as fn(&str) -> String, words_only] {
            let found = find_lines(text, &old, &new, plain);
            match found.len() {
                0 => {}
                1 => return Ok(found),
                _ if all => return Ok(found),
                _ => {
                    return Err(NotFound::Several {
                        places: found.iter().map(|place| place.start).collect(),
                    });
                }
            }
        }
    }
    Err(NotFound::Nowhere { wanted: old })
}

/// Models sometimes copy the line numbers `read` shows. Taken off only where every line has one.
fn without_numbers(text: &str) -> String {
    let strip = |line: &str| -> Option<String> {
        let (number, rest) = line.split_once('\t')?;
        let number = number.trim();
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| rest.to_owned())
    };
    let lines: Option<Vec<String>> = text.lines().map(strip).collect();
    lines.map_or_else(|| text.to_owned(), |lines| lines.join("\n"))
}

/// Whole lines of `text` that are the same as those of `old` once both went through `plain`.
fn find_lines(text: &str, old: &str, new: &str, plain: fn(&str) -> String) -> Vec<Place> {
    let wanted: Vec<&str> = old.trim_matches('\n').split('\n').collect();
    if wanted.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let lines: Vec<&str> = text.split('\n').collect();
    let plain_lines: Vec<String> = lines.iter().map(|line| plain(line)).collect();
    let plain_wanted: Vec<String> = wanted.iter().map(|line| plain(line)).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at + wanted.len() <= lines.len() {
        if plain_lines[at..at + wanted.len()] != plain_wanted {
            at += 1;
            continue;
        }
        let window = &lines[at..at + wanted.len()];
        let last = at + wanted.len() - 1;
        let replacement = reindent(window, &wanted, new.trim_matches('\n'));
        let (start, mut end) = (starts[at], starts[last] + lines[last].len());
        // Taking out whole lines takes their line end too.
        if replacement.is_empty() && end < text.len() {
            end += 1;
        }
        found.push(Place { start, end, text: replacement, loose: true });
        at += wanted.len();
    }
    found
}

fn without_end(line: &str) -> String {
    as_typed(line.trim_end())
}

fn words_only(line: &str) -> String {
    as_typed(line).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Typographic characters as the ones on a keyboard.
fn as_typed(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
            c => c,
        })
        .collect()
}

/// The new lines, moved by as much as the old ones were off.
fn reindent(window: &[&str], wanted: &[&str], new: &str) -> String {
    let indent = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    let first = window.iter().zip(wanted).find(|(line, _)| !line.trim().is_empty());
    let Some((there, written)) = first.map(|(line, wanted)| (indent(line), indent(wanted))) else {
        return new.to_owned();
    };
    if there == written {
        return new.to_owned();
    }
    let moved = |line: &str| {
        if line.trim().is_empty() {
            return line.to_owned();
        }
        match line.strip_prefix(&written) {
            Some(rest) => format!("{there}{rest}"),
            None => line.to_owned(),
        }
    };
    new.split('\n').map(moved).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;
