//! A tool call: drawn by the tool in a box, or with the default view. Its figures are one line: those worth seeing, or all that are
//! known.

use std::time::Duration;

use serde_json::Value;
use toolsmith_text::{FileDiff, Row, Theme, Token, size_text, time_text};
use toolsmith_tool::{CallMetrics, ContentBlock, ToolResult};

use super::{BlockOptions, ImageBlock, boxed, card, duration_text, spread};
use crate::review::visible_diffs;

/// CPU time that is worth seeing, in microseconds.
const SHOWN_CPU: u64 = 500_000;
/// Memory that is worth seeing.
const SHOWN_MEMORY: u64 = 32 << 20;
/// Bytes read or written that are worth seeing.
const SHOWN_BYTES: u64 = 1 << 20;
/// Result tokens that are worth seeing.
const SHOWN_TOKENS: u64 = 5_000;

/// State of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToolState {
    /// The model is still writing the arguments.
    #[default]
    Writing,
    /// The person is asked.
    Waiting,
    /// It runs.
    Running,
    /// It worked.
    Done,
    /// It failed.
    Failed,
    /// It was never started.
    Skipped,
}

impl ToolState {
    /// Returns whether the call can still change.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Writing | Self::Waiting | Self::Running)
    }
}

/// Rows drawn by the tool itself. `None` in a slot means that its renderer is missing or failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolDrawing {
    /// The call.
    pub call: Option<Vec<Row>>,
    /// The result.
    pub result: Option<Vec<Row>>,
    /// The tool draws its own frame.
    pub own_frame: bool,
    /// The call is not drawn once there is a result.
    pub merges: bool,
}

/// A tool call.
#[derive(Clone, Debug, Default)]
pub struct ToolBlock {
    /// The model's id of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Label of the tool.
    pub label: String,
    /// Arguments, complete or as far as they are known.
    pub arguments: Value,
    /// State.
    pub state: ToolState,
    /// The last partial result, or the result.
    pub result: Option<ToolResult>,
    /// Running time.
    pub elapsed: Option<Duration>,
    /// Use of the call, once it ended.
    pub metrics: Option<CallMetrics>,
    /// Rows drawn by the tool; `None` for tools without renderers.
    pub drawing: Option<ToolDrawing>,
    /// Changes whenever arguments, state or result do, so that drawings can be kept.
    pub version: u64,
}

impl ToolBlock {
    /// Creates a call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, label: impl Into<String>) -> Self {
        let label: String = label.into();
        let label = toolsmith_tool::visible_line(&label).into_owned();
        Self { id: id.into(), name: name.into(), label, ..Self::default() }
    }

    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
        match &self.drawing {
            Some(drawing) => self.drawn_rows(drawing, columns, theme, options),
            None => card::rows(self, columns, theme, options),
        }
    }

    /// Returns the row about what the call used, if there is anything worth seeing.
    pub(super) fn metrics_row(&self, theme: &Theme, options: &BlockOptions) -> Option<Row> {
        let text = metrics_text(self.metrics.as_ref()?, options.expanded)?;
        Some(Row::styled(text, theme.style(Token::Dim)))
    }

    /// Draws it in one row, where there is no room for more.
    pub fn short_row(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Row {
        let without_result = Self { result: None, drawing: None, ..self.clone() };
        card::rows(&without_result, columns, theme, &options.expanded(false))
            .into_iter()
            .next()
            .unwrap_or_default()
    }

    /// Columns that a tool's renderer has.
    pub fn drawing_width(columns: usize, own_frame: bool) -> usize {
        if own_frame { columns.max(1) } else { columns.saturating_sub(2).max(1) }
    }

    /// Returns the images of the result.
    pub fn images(&self) -> Vec<ImageBlock> {
        self.result.as_ref().map(|result| images_of(result).collect()).unwrap_or_default()
    }

    /// Returns the difference in the details of the result.
    pub(super) fn diff(&self) -> Option<Vec<FileDiff>> {
        let result = self.result.as_ref().filter(|result| !result.is_error)?;
        let text = result.details.as_ref()?.get("diff")?.as_str()?;
        Some(visible_diffs(text)).filter(|files| files.iter().any(|file| !file.hunks.is_empty()))
    }

    fn drawn_rows(
        &self,
        drawing: &ToolDrawing,
        columns: usize,
        theme: &Theme,
        options: &BlockOptions,
    ) -> Vec<Row> {
        let inner = Self::drawing_width(columns, drawing.own_frame);
        let mut rows = Vec::new();
        if !(drawing.merges && self.result.is_some()) {
            match &drawing.call {
                Some(call) => rows.extend(call.iter().cloned()),
                None => rows.push(Row::styled(&self.label, theme.style(Token::ToolTitle).bold())),
            }
        }
        if let Some(result) = &self.result {
            match &drawing.result {
                Some(drawn) => rows.extend(drawn.iter().cloned()),
                None => rows.extend(card::fallback_result(result, inner, theme)),
            }
        }
        if drawing.own_frame {
            let mut rows = trimmed(rows.into_iter().map(|row| row.cut(columns)).collect());
            rows.extend(self.metrics_row(theme, options).map(|row| row.indented(1).cut(columns)));
            return rows;
        }
        rows = trimmed(rows);
        if let Some(result) = &self.result {
            rows.extend(card::images(result, inner, theme, options));
        }
        let background = theme.style(match self.state {
            ToolState::Done => Token::ToolSuccessBg,
            ToolState::Failed => Token::ToolErrorBg,
            _ => Token::ToolPendingBg,
        });
        let mut drawn = boxed(rows, columns, background, true);
        // State, time and use stand in the lower edge, where they take no row of their own.
        if let Some(last) = drawn.last_mut() {
            let mut right = card::sign(self.state, theme, options);
            if let Some(elapsed) = self.elapsed {
                right.push_text(duration_text(elapsed), theme.style(Token::Dim));
            }
            right.push_text(" ", toolsmith_text::Style::PLAIN);
            let used = self.metrics_row(theme, options).unwrap_or_default();
            *last = spread(used.indented(1), right, columns).on(background).padded(columns, background);
        }
        drawn
    }
}

/// Images of the content, and those in `details.images`.
pub(super) fn images_of(result: &ToolResult) -> impl Iterator<Item = ImageBlock> + '_ {
    let content = result.content.iter().filter_map(|block| match block {
        ContentBlock::Image { data, mime_type } => {
            Some(ImageBlock { data: data.clone(), mime_type: mime_type.clone(), name: None })
        }
        _ => None,
    });
    let details = result.details.as_ref().and_then(|details| details.get("images")).and_then(Value::as_array);
    let more = details.into_iter().flatten().filter_map(|image| {
        let text = |name: &str| image.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(ImageBlock { data: text("data")?, mime_type: text("mimeType")?, name: text("name") })
    });
    content.chain(more)
}

/// Drops blank rows at both ends.
fn trimmed(mut rows: Vec<Row>) -> Vec<Row> {
    while rows.last().is_some_and(Row::is_blank) {
        rows.pop();
    }
    let blank = rows.iter().take_while(|row| row.is_blank()).count();
    rows.drain(..blank);
    rows
}

/// Formats the figures of a call. Without `everything`, small ones are left out, and there is no line if all are small.
pub fn metrics_text(metrics: &CallMetrics, everything: bool) -> Option<String> {
    let worth = |value: Option<u64>, least: u64| value.filter(|value| everything || *value >= least);
    let counted =
        |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let parts: Vec<String> = [
        worth(metrics.cpu_us, SHOWN_CPU).map(|time| format!("{} CPU", time_text(time))),
        worth(metrics.peak_memory_bytes, SHOWN_MEMORY).map(size_text),
        worth(metrics.read_bytes, SHOWN_BYTES).map(|bytes| format!("{} read", size_text(bytes))),
        worth(metrics.written_bytes, SHOWN_BYTES).map(|bytes| format!("{} written", size_text(bytes))),
        worth(metrics.requests, 1).map(|count| counted(count, "request", "requests")),
        // One process is what `bash` is for.
        worth(metrics.processes, 2).map(|count| counted(count, "process", "processes")),
        worth(Some(metrics.result_tokens), SHOWN_TOKENS).map(|count| format!("~{count} tokens")),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!parts.is_empty()).then(|| format!("{} · {}", time_text(metrics.wall_us), parts.join(" · ")))
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
