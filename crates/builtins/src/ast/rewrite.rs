//! Rewrites of one file.

use std::ops::Range;

use super::scan::Source;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replacement {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// Both start at 1; columns count characters.
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Two overlapping replacements: the position of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overlap {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Returns all replacements in order. Those that change nothing are omitted.
pub(super) fn replacements(source: &Source) -> Result<Vec<Replacement>, Overlap> {
    // Templates use plain line ends; the file's own are kept.
    let crlf = source.text().find('\n').is_some_and(|at| source.text()[..at].ends_with('\r'));
    let mut all = Vec::new();
    for (_, op) in source.ops() {
        let Some(fix) = op.fix(crlf) else {
            continue;
        };
        for found in source.root.root().find_all(&op.pattern) {
            let edit = found.make_edit(&op.pattern, fix);
            let range = edit.position..edit.position + edit.deleted_length;
            let text = String::from_utf8_lossy(&edit.inserted_text).into_owned();
            if source.text().get(range.clone()) != Some(text.as_str()) {
                all.push(Replacement { range, text, line: 0, column: 0 });
            }
        }
    }
    all.sort_by_key(|replacement| (replacement.range.start, replacement.range.end));
    place(source.text(), &mut all);
    let overlap =
        all.windows(2).find(|pair| pair[1].range.start < pair[0].range.end || pair[0].range == pair[1].range);
    match overlap {
        Some(pair) => Err(Overlap { line: pair[1].line, column: pair[1].column }),
        None => Ok(all),
    }
}

/// Sets the positions in one pass, because a file may be one line of megabytes.
fn place(text: &str, sorted: &mut [Replacement]) {
    let (mut at, mut line, mut column) = (0, 1, 1);
    for replacement in sorted {
        for character in text.get(at..replacement.range.start).unwrap_or_default().chars() {
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        at = replacement.range.start;
        (replacement.line, replacement.column) = (line, column);
    }
}

/// Returns the content with all replacements.
pub(super) fn apply(text: &str, replacements: &[Replacement]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for replacement in replacements {
        result.push_str(text.get(at..replacement.range.start).unwrap_or_default());
        result.push_str(&replacement.text);
        at = replacement.range.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}
