//! The parts of a transcript as rows.
//!
//! Every block is data with a pure function `rows(columns, theme, options)`. Nothing here knows a terminal, a session or a
//! tool's renderer: rows that tools draw themselves are part of the data.

mod assistant;
mod bash;
mod card;
mod image;
mod json_tree;
mod messages;
mod notice;
mod status;
mod summary;
mod todo;
mod tool;

use std::time::Duration;

use toolsmith_text::{Row, Style, Theme, Token, plain, width};
use toolsmith_tool::{visible, visible_line};

pub use assistant::{AssistantBlock, AssistantStream, ThinkingBlock};
pub use bash::BashBlock;
pub use image::{ImageBlock, ImageRows};
pub use messages::{CustomBlock, QueueBlock, QueuedKind, UserBlock};
pub use notice::{NoticeBlock, NoticeKind};
pub use status::StatusLine;
pub use summary::{SummaryBlock, SummaryKind};
pub use todo::{TodoBlock, TodoItem, TodoMark};
pub use tool::{ToolBlock, ToolDrawing, ToolState, metrics_text};

/// How blocks are drawn.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BlockOptions {
    /// Draws everything instead of a summary.
    pub expanded: bool,
    /// Draws the text of thinking instead of a label.
    pub shows_thinking: bool,
    /// Frame of the spinner.
    pub spinner_frame: usize,
    /// Animations are drawn; otherwise a spinner is a fixed sign.
    pub has_motion: bool,
}

impl Default for BlockOptions {
    fn default() -> Self {
        Self { expanded: false, shows_thinking: true, spinner_frame: 0, has_motion: true }
    }
}

impl BlockOptions {
    /// Sets whether everything is drawn.
    #[must_use]
    pub fn expanded(mut self, expanded: bool) -> Self {
        self.expanded = expanded;
        self
    }

    /// Sets whether the text of thinking is drawn.
    #[must_use]
    pub fn shows_thinking(mut self, shows: bool) -> Self {
        self.shows_thinking = shows;
        self
    }

    /// Sets the frame of the spinner.
    #[must_use]
    pub fn spinner_frame(mut self, frame: usize) -> Self {
        self.spinner_frame = frame;
        self
    }
}

/// A part of a transcript.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Block {
    /// A prompt.
    User(UserBlock),
    /// Text of the model.
    Assistant(AssistantBlock),
    /// Thinking of the model.
    Thinking(ThinkingBlock),
    /// A tool call.
    Tool(Box<ToolBlock>),
    /// A shell command of the person.
    Bash(BashBlock),
    /// A message of an extension.
    Custom(CustomBlock),
    /// A notice, warning or error.
    Notice(NoticeBlock),
    /// A summary of a compaction or of a left branch.
    Summary(SummaryBlock),
    /// The todo list.
    Todo(TodoBlock),
    /// Queued messages.
    Queue(QueueBlock),
    /// An image.
    Image(ImageBlock),
}

impl Block {
    /// Draws the block.
    pub fn rows(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
        match self {
            Self::User(block) => block.rows(columns, theme, options),
            Self::Assistant(block) => block.rows(columns, theme, options),
            Self::Thinking(block) => block.rows(columns, theme, options),
            Self::Tool(block) => block.rows(columns, theme, options),
            Self::Bash(block) => block.rows(columns, theme, options),
            Self::Custom(block) => block.rows(columns, theme, options),
            Self::Notice(block) => block.rows(columns, theme, options),
            Self::Summary(block) => block.rows(columns, theme, options),
            Self::Todo(block) => block.rows(columns, theme, options),
            Self::Queue(block) => block.rows(columns, theme, options),
            Self::Image(block) => block.rows(columns, theme, options),
        }
    }
}

/// Frames of the spinner.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Returns a frame of the spinner.
pub fn spinner(options: &BlockOptions) -> &'static str {
    if !options.has_motion {
        return "•";
    }
    SPINNER.get(options.spinner_frame % SPINNER.len()).copied().unwrap_or("•")
}

/// Formats a duration as people read it: `0.4s`, `12s`, `3m 05s`.
pub fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..=9 => format!("{seconds}.{}s", duration.subsec_millis() / 100),
        10..=59 => format!("{seconds}s"),
        60..=3599 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns a row with text at the left and at the right; the left is cut where both do not fit.
fn spread(left: Row, right: Row, columns: usize) -> Row {
    let needed = right.width();
    if needed == 0 || needed + 8 > columns {
        return left.ellipsized(columns);
    }
    let mut row = left.ellipsized(columns - needed - 1).padded(columns - needed, Style::PLAIN);
    row.append(right);
    row
}

/// The hint after cut output.
fn more_lines(count: usize, theme: &Theme) -> Row {
    let lines = if count == 1 { "line" } else { "lines" };
    Row::styled(format!("… {count} more {lines} "), theme.style(Token::Muted))
        .and("(ctrl+o for more)", theme.style(Token::Dim))
}

/// A box around rows: padding on the sides and a background over the whole width.
fn boxed(rows: Vec<Row>, columns: usize, background: Style, has_edges: bool) -> Vec<Row> {
    let fill = |row: Row| row.on(background).padded(columns, background);
    let side = usize::from(columns > 4);
    let mut drawn: Vec<Row> =
        rows.into_iter().map(|row| fill(row.cut(columns - 2 * side).indented(side))).collect();
    if has_edges {
        drawn.insert(0, fill(Row::new()));
        drawn.push(fill(Row::new()));
    }
    drawn
}

/// Text of unknown origin as rows of a width.
fn wrapped(text: &str, style: Style, columns: usize) -> Vec<Row> {
    Row::lines(text, style).iter().flat_map(|row| row.wrap(columns)).collect()
}

/// Returns text of unknown origin as a label: one line without control sequences, and hidden characters as escapes. Titles of
/// calls and the status line take this form.
pub(crate) fn label(text: &str) -> String {
    visible_line(&plain(text)).into_owned()
}

/// Returns a message of unknown origin: as a label, with its lines. The selector of coloured signs (`⚠️`) stays, because many
/// messages have it.
pub(crate) fn message(text: &str) -> String {
    const SELECTOR: char = '\u{fe0f}';
    let mut shown = String::new();
    for part in plain(text).split_inclusive(SELECTOR) {
        match part.strip_suffix(SELECTOR).filter(|body| body.ends_with(|c: char| !c.is_ascii())) {
            Some(body) => {
                shown.push_str(&visible(body));
                shown.push(SELECTOR);
            }
            None => shown.push_str(&visible(part)),
        }
    }
    shown
}

/// Puts a sign before the first row and indents the others.
fn marked(sign: &str, style: Style, rows: Vec<Row>, columns: usize) -> Vec<Row> {
    let indent = width(sign);
    rows.into_iter()
        .enumerate()
        .map(|(at, row)| {
            let mut whole = if at == 0 { Row::styled(sign, style) } else { Row::plain(" ".repeat(indent)) };
            whole.append(row);
            whole.cut(columns)
        })
        .collect()
}
