//! The parts of a template: text, files to attach (`@path`) and shell commands whose output is inserted (`` !`command` ``). Only
//! the file itself decides about the parts; arguments cannot add any.

/// A part of a template, with its placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Text.
    Text(&'a str),
    /// A file.
    File(&'a str),
    /// A shell command.
    Shell(&'a str),
}

/// Splits a template into its parts.
pub(crate) fn parts(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut text_from, mut at) = (0, 0);
    let mut is_fenced = false;
    while let Some(rest) = template.get(at..).filter(|rest| !rest.is_empty()) {
        let starts_line = at == 0 || template[..at].ends_with('\n');
        if starts_line && rest.trim_start_matches([' ', '\t']).starts_with("```") {
            is_fenced = !is_fenced;
            at += rest.find('\n').map_or(rest.len(), |end| end + 1);
            continue;
        }
        let starts_word =
            template[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "([{\"'".contains(c));
        let found = if is_fenced { None } else { shell(rest).or_else(|| file(rest).filter(|_| starts_word)) };
        match found {
            Some((part, length)) => {
                push_text(&mut parts, template.get(text_from..at));
                parts.push(part);
                at += length;
                text_from = at;
            }
            None => {
                // Other code in backticks is text.
                at += match rest.strip_prefix('`').and_then(|code| code.find(['`', '\n'])) {
                    Some(end) => end + 2,
                    None => rest.chars().next().map_or(1, char::len_utf8),
                };
            }
        }
    }
    push_text(&mut parts, template.get(text_from..));
    parts
}

fn push_text<'a>(parts: &mut Vec<Part<'a>>, text: Option<&'a str>) {
    parts.extend(text.filter(|text| !text.is_empty()).map(Part::Text));
}

/// Reads `` !`command` ``.
fn shell(text: &str) -> Option<(Part<'_>, usize)> {
    let inner = text.strip_prefix("!`")?;
    let end = inner.find('`')?;
    let command = &inner[..end];
    (!command.trim().is_empty() && !command.contains('\n')).then(|| (Part::Shell(command), end + 3))
}

/// Reads `@path`, which ends at a space or at punctuation before one.
fn file(text: &str) -> Option<(Part<'_>, usize)> {
    let inner = text.strip_prefix('@')?;
    if let Some(quoted) = inner.strip_prefix('"') {
        let end = quoted.find(['"', '\n'])?;
        return (quoted[end..].starts_with('"') && end > 0).then(|| (Part::File(&quoted[..end]), end + 3));
    }
    let end = inner.find(|c: char| c.is_whitespace() || "`\"'()<>".contains(c)).unwrap_or(inner.len());
    let path = inner[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']);
    (!path.is_empty()).then(|| (Part::File(path), path.len() + 1))
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
