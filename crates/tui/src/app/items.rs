//! Items of the transcript as rows.

use std::time::Instant;

use serde_json::Value;
use toolsmith_tool::NoticeLevel;

use super::{
    status::{show_duration, spinner, spinner_frame},
    transcript::{Item, ShellItem, ToolItem, ToolState},
};
use crate::text::{MarkdownOptions, Row, Style, Theme, Token, markdown_rows, parse_text};

/// Rows of a result that are shown collapsed.
const COLLAPSED_ROWS: usize = 8;
/// Rows of a result that are shown expanded in the normal screen; the transcript view shows all.
const EXPANDED_ROWS: usize = 400;
/// Bytes of a result that are looked at.
const MAX_BYTES: usize = 256 << 10;

/// How items are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look<'a> {
    pub(super) columns: usize,
    pub(super) theme: &'a Theme,
    pub(super) is_expanded: bool,
    pub(super) shows_thinking: bool,
    pub(super) has_motion: bool,
    pub(super) now: Instant,
}

impl Item {
    /// Draws the item, without the empty row before it.
    pub(super) fn rows(&self, look: &Look<'_>) -> Vec<Row> {
        let (theme, columns) = (look.theme, look.columns);
        match self {
            Self::User { text } => user_rows(text, look),
            Self::Assistant { stream, .. } => stream.tail(columns, theme),
            Self::Thinking { text, is_final } => thinking_rows(text, *is_final, look),
            Self::Tool(tool) => tool_rows(tool, look),
            Self::Shell(shell) => shell_rows(shell, look),
            Self::Notice { level, text } => notice_rows(*level, text, look),
            Self::Summary { title, text } => {
                let mut rows = vec![
                    Row::styled(format!("── {title}"), theme.style(Token::CustomMessageLabel).bold())
                        .ellipsized(columns),
                ];
                if look.is_expanded || text.lines().count() <= 3 {
                    rows.extend(markdown_rows(text, columns, theme, MarkdownOptions::default()));
                } else {
                    let more = format!("{} lines of summary", text.lines().count());
                    rows.push(Row::styled(more, theme.style(Token::Muted)).ellipsized(columns));
                }
                rows
            }
            Self::Custom { title, text } => {
                let mut rows = vec![
                    Row::styled(title, theme.style(Token::CustomMessageLabel).bold()).ellipsized(columns),
                ];
                rows.extend(markdown_rows(text, columns, theme, MarkdownOptions::default()));
                rows
            }
            Self::Plain(rows) => rows.iter().flat_map(|row| row.wrap(columns)).collect(),
        }
    }

    /// Draws a live item in one row, where there is no room for more.
    pub(super) fn short_row(&self, look: &Look<'_>) -> Row {
        match self {
            Self::Tool(tool) => tool_title(tool, look).ellipsized(look.columns),
            Self::Shell(shell) => Row::plain(format!("! {}", shell.command)).ellipsized(look.columns),
            _ => self.rows(look).pop().unwrap_or_default(),
        }
    }
}

fn user_rows(text: &str, look: &Look<'_>) -> Vec<Row> {
    let theme = look.theme;
    let style = theme.style(Token::UserMessageText).over(theme.style(Token::UserMessageBg));
    let columns = look.columns.saturating_sub(2).max(1);
    let lines = Row::lines(text, style);
    let rows = lines.iter().flat_map(|line| line.wrap(columns)).enumerate().map(|(at, row)| {
        let mut full = Row::styled(if at == 0 { "› " } else { "  " }, theme.style(Token::Accent).over(style));
        full.append(row);
        full.padded(look.columns, style)
    });
    rows.collect()
}

fn thinking_rows(text: &str, is_final: bool, look: &Look<'_>) -> Vec<Row> {
    let style = look.theme.style(Token::ThinkingText).italic();
    if text.trim().is_empty() {
        return Vec::new();
    }
    if !look.shows_thinking {
        let label = if is_final { "Thought" } else { "Thinking…" };
        return vec![Row::styled(label, style)];
    }
    markdown_rows(text.trim(), look.columns, look.theme, MarkdownOptions::default().text(style))
}

fn notice_rows(level: NoticeLevel, text: &str, look: &Look<'_>) -> Vec<Row> {
    let (sign, token) = match level {
        NoticeLevel::Warning => ("! ", Token::Warning),
        NoticeLevel::Error => ("✗ ", Token::Error),
        _ => ("· ", Token::Muted),
    };
    let style = look.theme.style(token);
    let lines = Row::lines(text.trim_end(), style);
    let wrapped = lines.iter().flat_map(|line| line.wrap(look.columns.saturating_sub(2).max(1)));
    let rows = wrapped.enumerate().map(|(at, row)| {
        let mut full = Row::styled(if at == 0 { sign } else { "  " }, style);
        full.append(row);
        full
    });
    rows.collect()
}

fn state_sign(state: &ToolState, look: &Look<'_>) -> (String, Style) {
    let theme = look.theme;
    match state {
        ToolState::Writing | ToolState::Waiting => ("○".to_owned(), theme.style(Token::Muted)),
        ToolState::Running(since) if look.has_motion => {
            (spinner(spinner_frame(*since, look.now)).to_owned(), theme.style(Token::Accent))
        }
        ToolState::Running(_) => ("●".to_owned(), theme.style(Token::Accent)),
        ToolState::Ended { is_error: false, .. } => ("✓".to_owned(), theme.style(Token::Success)),
        ToolState::Ended { is_error: true, .. } => ("✗".to_owned(), theme.style(Token::Error)),
        ToolState::Skipped => ("–".to_owned(), theme.style(Token::Muted)),
    }
}

fn tool_title(tool: &ToolItem, look: &Look<'_>) -> Row {
    let theme = look.theme;
    let (sign, style) = state_sign(&tool.state, look);
    let mut row = Row::styled(sign, style)
        .and(" ", Style::PLAIN)
        .and(&tool.label, theme.style(Token::ToolTitle).bold());
    let summary = summary_of(&tool.arguments);
    if !summary.is_empty() {
        row.push_text(format!(" {summary}"), theme.style(Token::Muted));
    }
    match &tool.state {
        ToolState::Ended { duration: Some(duration), .. } if duration.as_millis() >= 1000 => {
            row.push_text(format!(" {}", show_duration(*duration)), theme.style(Token::Dim));
        }
        ToolState::Running(since) if look.has_motion => {
            let elapsed = look.now.saturating_duration_since(*since);
            if elapsed.as_secs() > 0 {
                row.push_text(format!(" {}", show_duration(elapsed)), theme.style(Token::Dim));
            }
        }
        ToolState::Skipped => row.push_text(" not run", theme.style(Token::Dim)),
        _ => {}
    }
    row
}

/// The arguments in one line: the only value, or `key=value` pairs.
fn summary_of(arguments: &Value) -> String {
    let Value::Object(fields) = arguments else { return String::new() };
    let show = |value: &Value| match value {
        Value::String(text) => {
            text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
        }
        other => other.to_string().chars().take(80).collect::<String>(),
    };
    let parts: Vec<String> = match fields.len() {
        1 => fields.values().map(show).collect(),
        _ => fields.iter().take(6).map(|(key, value)| format!("{key}={}", show(value))).collect(),
    };
    parts.join(" ")
}

fn tool_rows(tool: &ToolItem, look: &Look<'_>) -> Vec<Row> {
    let mut rows = vec![tool_title(tool, look).ellipsized(look.columns)];
    if let Some(result) = &tool.result {
        let is_error = matches!(tool.state, ToolState::Ended { is_error: true, .. });
        let token = if is_error { Token::Error } else { Token::ToolOutput };
        rows.extend(output_rows(&result.joined_text(), look.theme.style(token), look, true));
        let images = result.content.iter().filter(|block| block.as_text().is_none()).count();
        if images > 0 {
            rows.push(Row::styled(format!("  [{images} image(s)]"), look.theme.style(Token::Muted)));
        }
    }
    rows
}

fn shell_rows(shell: &ShellItem, look: &Look<'_>) -> Vec<Row> {
    let theme = look.theme;
    let sign = if shell.is_private { "!! " } else { "! " };
    let mut rows = vec![
        Row::styled(sign, theme.style(Token::BashMode))
            .and(&shell.command, theme.style(Token::BashMode).bold())
            .ellipsized(look.columns),
    ];
    rows.extend(output_rows(&shell.output, theme.style(Token::ToolOutput), look, false));
    match &shell.end {
        None => {
            let elapsed = look.now.saturating_duration_since(shell.started);
            let frame = if look.has_motion { spinner(spinner_frame(shell.started, look.now)) } else { "●" };
            rows.push(Row::styled(
                format!("  {frame} {}", show_duration(std::time::Duration::from_secs(elapsed.as_secs()))),
                theme.style(Token::Muted),
            ));
        }
        Some(Ok((0, false))) => {}
        Some(Ok((_, true))) => rows.push(Row::styled("  stopped", theme.style(Token::Warning))),
        Some(Ok((code, false))) => {
            rows.push(Row::styled(format!("  exit code {code}"), theme.style(Token::Error)))
        }
        Some(Err(error)) => rows.extend(notice_rows(NoticeLevel::Error, error, look)),
    }
    rows
}

/// The output of a tool: its end while collapsed, with a note of what is left out.
fn output_rows(text: &str, style: Style, look: &Look<'_>, keeps_head: bool) -> Vec<Row> {
    let text = text.trim_end_matches(['\n', '\r']);
    if text.is_empty() {
        return Vec::new();
    }
    // A huge output is cut before it is parsed.
    let (text, is_cut) = match text.len() > MAX_BYTES {
        false => (text, false),
        true if keeps_head => (text.get(..floor(text, MAX_BYTES)).unwrap_or_default(), true),
        true => (text.get(floor(text, text.len() - MAX_BYTES)..).unwrap_or_default(), true),
    };
    let columns = look.columns.saturating_sub(2).max(1);
    let limit = if look.is_expanded { EXPANDED_ROWS } else { COLLAPSED_ROWS };
    let lines = text.lines().count();
    let rows: Vec<Row> = match keeps_head {
        true => text.lines().take(limit + 1).flat_map(|line| drawn(line, style, columns, limit)).collect(),
        false => {
            let skipped = lines.saturating_sub(limit + 1);
            text.lines().skip(skipped).flat_map(|line| drawn(line, style, columns, limit)).collect()
        }
    };
    let is_long = rows.len() > limit || is_cut || lines > limit + 1;
    let kept: Vec<Row> = match (is_long, keeps_head) {
        (false, _) => rows,
        (true, true) => rows.into_iter().take(limit).collect(),
        (true, false) => {
            let skip = rows.len().saturating_sub(limit);
            rows.into_iter().skip(skip).collect()
        }
    };
    let mut out: Vec<Row> = kept.into_iter().map(|row| row.indented(2)).collect();
    if is_long {
        let note = if look.is_expanded {
            format!("  … {lines} lines; the transcript has all of them")
        } else {
            format!("  … {lines} lines (ctrl+o to expand)")
        };
        let note = Row::styled(note, look.theme.style(Token::Dim)).ellipsized(look.columns);
        match keeps_head {
            true => out.push(note),
            false => out.insert(0, note),
        }
    }
    out
}

fn drawn(line: &str, style: Style, columns: usize, limit: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for row in parse_text(line) {
        rows.extend(row.on(style).wrap(columns).into_iter().take(limit + 1));
    }
    rows
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
