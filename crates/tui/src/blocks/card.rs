//! The default view of a tool call: a status line with the label and the main argument, then the output in short.

use serde_json::Value;
use toolsmith_text::{
    FileDiff, Row, Style, Theme, Token, diff_rows, highlight, language_of_path, parse_text,
};
use toolsmith_tool::{ContentBlock, ToolResult};

use super::{
    BlockOptions, TodoBlock, ToolBlock, ToolState, duration_text, json_tree, json_tree::TreeLimits, label,
    more_lines, spinner, spread, wrapped,
};

/// Lines of output, collapsed and expanded.
const LINES: (usize, usize) = (4, 12);
/// Rows of a diff or of written code, collapsed and expanded.
const DIFF_ROWS: (usize, usize) = (16, 400);
/// More text than this is not read as JSON.
const MAX_JSON: usize = 256 << 10;
const INDENT: usize = 3;

/// Draws a call with the default view.
pub(super) fn rows(block: &ToolBlock, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
    let inner = columns.saturating_sub(INDENT).max(1);
    let mut rows = vec![title(block, columns, theme, options)];
    if options.expanded && title_argument(block).is_none() {
        rows.extend(indented(arguments(&block.arguments, inner, theme), columns));
    }
    if let Some(result) = &block.result {
        rows.extend(indented(output(block, result, inner, theme, options), columns));
        rows.extend(indented(block.metrics_row(theme, options).into_iter().collect(), columns));
    }
    rows
}

fn indented(rows: Vec<Row>, columns: usize) -> Vec<Row> {
    rows.into_iter().map(|row| row.indented(INDENT).cut(columns)).collect()
}

/// The sign of a state.
pub(super) fn sign(state: ToolState, theme: &Theme, options: &BlockOptions) -> Row {
    let (sign, token) = match state {
        ToolState::Writing => ("…", Token::Dim),
        ToolState::Waiting => ("?", Token::Warning),
        ToolState::Running => (spinner(options), Token::Accent),
        ToolState::Done => ("✔", Token::Success),
        ToolState::Failed => ("✘", Token::Error),
        ToolState::Skipped => ("○", Token::Dim),
    };
    Row::styled(format!(" {sign} "), theme.style(token))
}

fn title(block: &ToolBlock, columns: usize, theme: &Theme, options: &BlockOptions) -> Row {
    let mut row = sign(block.state, theme, options);
    row.push_text(&block.label, theme.style(Token::ToolTitle).bold());
    let argument = title_argument(block).unwrap_or_else(|| json_tree::inline(&block.arguments, 200));
    if !argument.is_empty() {
        row.push_text(format!(" {}", label(&argument)), theme.style(Token::Muted));
    }
    if block.state == ToolState::Waiting {
        row.push_text(" waiting for approval", theme.style(Token::Warning));
    }
    if let Some((added, removed)) = block.diff().map(|files| {
        let sum = |count: fn(&FileDiff) -> usize| files.iter().map(count).sum::<usize>();
        (sum(FileDiff::added), sum(FileDiff::removed))
    }) {
        row.push_text(format!(" +{added}"), theme.style(Token::ToolDiffAdded));
        row.push_text(format!(" -{removed}"), theme.style(Token::ToolDiffRemoved));
    }
    let time = block.elapsed.map(|elapsed| Row::styled(duration_text(elapsed), theme.style(Token::Dim)));
    spread(row, time.unwrap_or_default(), columns)
}

/// The argument that says what a built-in tool does.
fn title_argument(block: &ToolBlock) -> Option<String> {
    let text = |name: &str| block.arguments.get(name).and_then(Value::as_str);
    let one_line = |text: &str| json_tree::cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), 200);
    let found = match block.name.as_str() {
        "bash" => format!("$ {}", one_line(text("command")?)),
        "read" => {
            let mut found = text("path")?.to_owned();
            if let Some(first) = block.arguments.get("offset").and_then(Value::as_u64) {
                found.push_str(&format!(":{first}"));
            }
            found
        }
        "write" | "edit" | "ls" => text("path")?.to_owned(),
        "grep" | "find" | "ast_grep" => {
            let pattern = text("pattern").or_else(|| text("pat"))?;
            match text("path") {
                Some(path) => format!("{} in {path}", one_line(pattern)),
                None => one_line(pattern),
            }
        }
        "resolve" => {
            let label = block.result.as_ref()?.details.as_ref()?.get("label")?.as_str()?;
            format!("{}: {}", text("action").unwrap_or("apply"), one_line(label))
        }
        "todo_write" => {
            let list = TodoBlock::from_details(block.result.as_ref()?.details.as_ref()?)?;
            let (done, all) = list.progress();
            format!("{done} of {all} done")
        }
        _ => return None,
    };
    Some(found)
}

fn arguments(value: &Value, columns: usize, theme: &Theme) -> Vec<Row> {
    if value.as_object().is_none_or(serde_json::Map::is_empty) {
        return Vec::new();
    }
    let (tree, hidden) =
        json_tree::rows(value, columns.saturating_sub(2).max(1), TreeLimits::of(true), theme);
    let mut rows = vec![Row::styled("Args", theme.style(Token::Dim))];
    rows.extend(tree.into_iter().map(|row| row.indented(2)));
    if hidden > 0 {
        rows.push(Row::styled(format!("  … {hidden} more"), theme.style(Token::Muted)));
    }
    rows
}

fn output(
    block: &ToolBlock,
    result: &ToolResult,
    columns: usize,
    theme: &Theme,
    options: &BlockOptions,
) -> Vec<Row> {
    let limit = |pair: (usize, usize)| if options.expanded { pair.1 } else { pair.0 };
    if block.name == "todo_write"
        && let Some(list) = result.details.as_ref().and_then(TodoBlock::from_details)
    {
        return list.rows(columns, theme, options);
    }
    if let Some(files) = block.diff() {
        let rows = files.iter().flat_map(|file| diff_rows(file, columns, theme)).collect();
        return limited(rows, limit(DIFF_ROWS), theme);
    }
    if let Some(rows) = written(block, result, columns, theme) {
        return limited(rows, limit(DIFF_ROWS), theme);
    }
    let text = joined_text(result);
    let style = theme.style(if result.is_error { Token::Error } else { Token::ToolOutput });
    let mut rows = match json_of(&text).filter(|_| !result.is_error) {
        Some(value) => {
            let (mut rows, hidden) =
                json_tree::rows(&value, columns, TreeLimits::of(options.expanded), theme);
            if hidden > 0 {
                rows.push(more_lines(hidden, theme));
            }
            rows
        }
        None => text_rows(&text, style, columns, limit(LINES), block.name == "bash", theme),
    };
    rows.extend(images(result, columns, theme, options));
    if rows.is_empty() && !block.state.is_live() {
        rows.push(Row::styled("(no output)", theme.style(Token::Dim)));
    }
    rows
}

/// A new file that was written is shown as code.
fn written(block: &ToolBlock, result: &ToolResult, columns: usize, theme: &Theme) -> Option<Vec<Row>> {
    if block.name != "write" || result.is_error {
        return None;
    }
    let content = block.arguments.get("content")?.as_str()?;
    let path = block.arguments.get("path")?.as_str()?;
    let rows = highlight(content.trim_end_matches('\n'), language_of_path(path), theme);
    Some(rows.into_iter().map(|row| row.ellipsized(columns)).collect())
}

/// The text of a result.
pub(super) fn joined_text(result: &ToolResult) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(ContentBlock::as_text).collect();
    texts.join("\n")
}

fn json_of(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    (trimmed.starts_with(['{', '[']) && trimmed.len() <= MAX_JSON)
        .then(|| serde_json::from_str(trimmed).ok())
        .flatten()
}

fn text_rows(
    text: &str,
    style: Style,
    columns: usize,
    limit: usize,
    from_end: bool,
    theme: &Theme,
) -> Vec<Row> {
    let text = text.trim_end_matches('\n');
    if text.is_empty() {
        return Vec::new();
    }
    // Only what is shown is parsed: an output may have millions of lines.
    let total = text.split('\n').count();
    let hidden = total.saturating_sub(limit);
    let shown: Vec<&str> = if from_end {
        let mut lines: Vec<&str> = text.rsplit('\n').take(limit).collect();
        lines.reverse();
        lines
    } else {
        text.split('\n').take(limit).collect()
    };
    let mut rows: Vec<Row> = if shown.iter().any(|line| line.contains('\x1b')) {
        parse_text(&shown.join("\n")).into_iter().map(|row| row.on(style)).collect()
    } else {
        shown.iter().map(|line| Row::styled(line.trim_end_matches('\r'), style)).collect()
    };
    rows = rows.into_iter().map(|row| row.ellipsized(columns)).collect();
    if hidden > 0 {
        let more = more_lines(hidden, theme).ellipsized(columns);
        if from_end { rows.insert(0, more) } else { rows.push(more) }
    }
    rows
}

fn limited(mut rows: Vec<Row>, limit: usize, theme: &Theme) -> Vec<Row> {
    let hidden = rows.len().saturating_sub(limit);
    if hidden > 0 {
        rows.truncate(limit);
        rows.push(more_lines(hidden, theme));
    }
    rows
}

/// Placeholders of images.
pub(super) fn images(result: &ToolResult, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
    super::tool::images_of(result).flat_map(|image| image.rows(columns, theme, options)).collect()
}

/// The result as joined text, for a renderer that failed.
pub(super) fn fallback_result(result: &ToolResult, columns: usize, theme: &Theme) -> Vec<Row> {
    let text = joined_text(result);
    let style = theme.style(if result.is_error { Token::Error } else { Token::ToolOutput });
    wrapped(text.trim_end_matches('\n'), style, columns).into_iter().filter(|_| !text.is_empty()).collect()
}
