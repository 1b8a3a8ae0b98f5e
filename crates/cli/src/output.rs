//! Small forms every command prints with: JSON, tables, files, and paths as people say them.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use serde_json::Value;
use toolsmith::{Home, ToolSource};
use toolsmith_tool::{visible, visible_line};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::{
    project_files::Target,
    streams::{self, safe_json},
    terminal::{HEADING, paint},
};

/// Prints a value for machines.
pub(crate) fn print_json(value: &Value) -> io::Result<()> {
    let mut out = streams::stdout();
    out.write_all(safe_json(&format!("{value:#}\n")).as_bytes())?;
    out.flush()
}

/// Prints a page that was written beforehand. Standard output would hand on each line by itself, and wake whoever reads it as
/// often.
pub(crate) fn print_page(page: &[u8]) -> io::Result<()> {
    let mut out = streams::stdout();
    out.write_all(page)?;
    out.flush()
}

/// Writes a file, over one that is there only if that is wanted, and never through a link.
pub(crate) fn write_file(path: &Path, text: &str, overwrite: bool) -> io::Result<()> {
    if overwrite {
        return Target::of_user(path.parent().unwrap_or(path)).write(path, text);
    }
    fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

/// A path as people say it: within the working folder without that, in the home with `~`.
pub(crate) fn show_path(path: &Path, cwd: &Path, home: &Home) -> String {
    visible_line(&short_path(path, cwd, home)).into_owned()
}

/// Text of unknown origin with lines of its own, printed apart from our output: what a terminal would obey, hide or reorder is
/// written as an escape. Ends of lines and tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    visible(text).into_owned()
}

/// A name of unknown origin inside a line of ours.
pub(crate) fn one_line(text: &str) -> String {
    visible_line(text).into_owned()
}

/// A message of unknown origin in a line of ours. Its further lines are indented, so that none of them passes for a line of ours.
pub(crate) fn indented(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, line) in visible(text).split('\n').enumerate() {
        if at > 0 {
            shown.push_str(if line.is_empty() { "\n" } else { "\n    " });
        }
        shown.push_str(line);
    }
    shown
}

fn short_path(path: &Path, cwd: &Path, home: &Home) -> String {
    if let Ok(rest) = path.strip_prefix(cwd)
        && !rest.as_os_str().is_empty()
    {
        return rest.display().to_string();
    }
    match path.strip_prefix(home.user()) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}

/// Returns paths as text for JSON, which has no other form for names that are not UTF-8.
pub(crate) fn lossy<P: AsRef<std::path::Path>>(paths: &[P]) -> Vec<String> {
    paths.iter().map(|path| path.as_ref().to_string_lossy().into_owned()).collect()
}

/// Where a tool came from, for machines.
pub(crate) fn source_json(source: &ToolSource) -> Value {
    serde_json::json!({
        "provider": source.provider,
        "providerName": source.provider_name,
        "scope": source.scope.as_str(),
        "detail": source.detail,
    })
}

/// One cell: the text, and the style it is drawn in.
pub(crate) type Cell = (String, Option<anstyle::Style>);

/// A table with a heading. Where a width is given, the last columns are cut to it.
pub(crate) fn print_table(
    out: &mut dyn Write,
    heading: &[&str],
    rows: &[Vec<Cell>],
    width: Option<usize>,
) -> io::Result<()> {
    let mut widths: Vec<usize> = heading.iter().map(|text| text.chars().count()).collect();
    for row in rows {
        for (at, (text, _)) in row.iter().enumerate() {
            if let Some(known) = widths.get_mut(at) {
                *known = (*known).max(columns(text));
            }
        }
    }
    let heading: Vec<Cell> = heading.iter().map(|text| ((*text).to_owned(), Some(HEADING))).collect();
    for row in std::iter::once(&heading).chain(rows) {
        let mut line = String::new();
        let mut used = 0;
        for (at, (text, style)) in row.iter().enumerate() {
            let wanted = widths.get(at).copied().unwrap_or_default();
            let room = width.map_or(usize::MAX, |width| width.saturating_sub(used));
            let text = cut(text, room.min(wanted.max(1)));
            let shown = columns(&text);
            line.push_str(&style.map_or_else(|| text.clone(), |style| paint(style, &text)));
            let is_last = at + 1 == row.len();
            let padding = if is_last { 0 } else { wanted.saturating_sub(shown) + 2 };
            used += shown + padding;
            if width.is_some_and(|width| used >= width) {
                break;
            }
            line.push_str(&" ".repeat(padding));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn columns(text: &str) -> usize {
    text.width()
}

/// The text, or its beginning and an ellipsis.
pub(crate) fn cut(text: &str, room: usize) -> String {
    // A name may hold anything; a line stays a line.
    let clean: String = text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect();
    let clean = visible_line(&clean).into_owned();
    if columns(&clean) <= room {
        return clean;
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or_default();
        used < room
    };
    let kept: String = clean.chars().take_while(fits).collect();
    if room == 0 { String::new() } else { format!("{kept}…") }
}
