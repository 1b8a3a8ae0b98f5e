//! Draws a Markdown tree as rows of a width.

use super::{
    table,
    tree::{Block, Run, parse},
};
use crate::{
    highlight::highlight,
    row::{Row, Span},
    style::{Attributes, Style},
    theme::{Theme, Token},
};

/// Rules are not drawn longer than this.
const MAX_RULE: usize = 80;

/// Options for drawing Markdown.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MarkdownOptions {
    /// Style of plain text.
    pub text: Style,
    /// Highlights code.
    pub highlights: bool,
    /// Wraps long lines of code; otherwise they are left long for the caller to cut.
    pub wraps_code: bool,
}

impl Default for MarkdownOptions {
    fn default() -> Self {
        Self { text: Style::PLAIN, highlights: true, wraps_code: true }
    }
}

impl MarkdownOptions {
    /// Sets the style of plain text.
    #[must_use]
    pub fn text(mut self, text: Style) -> Self {
        self.text = text;
        self
    }
}

/// Draws a text at a width.
pub fn markdown_rows(text: &str, columns: usize, theme: &Theme, options: MarkdownOptions) -> Vec<Row> {
    Layout { theme, options }.blocks(&parse(text), columns.max(1))
}

pub(super) struct Layout<'t> {
    pub(super) theme: &'t Theme,
    pub(super) options: MarkdownOptions,
}

impl Layout<'_> {
    fn style(&self, token: Token) -> Style {
        self.theme.style(token)
    }

    /// Blocks with an empty row between them.
    pub(super) fn blocks(&self, blocks: &[Block], columns: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        for block in blocks {
            let drawn = self.block(block, columns);
            if !rows.is_empty() && !drawn.is_empty() {
                rows.push(Row::new());
            }
            rows.extend(drawn);
        }
        rows
    }

    fn block(&self, block: &Block, columns: usize) -> Vec<Row> {
        match block {
            Block::Text(runs) => self.wrapped(runs, self.options.text, columns),
            Block::Heading(level, runs) => self.heading(*level, runs, columns),
            Block::Code { language, text } => self.code(language, text, columns),
            Block::Quote(blocks) => self.quote(blocks, columns),
            Block::List { start, items } => self.list(*start, items, columns),
            Block::Table { alignments, rows } => table::draw(self, alignments, rows, columns),
            Block::Rule => vec![Row::styled("─".repeat(columns.min(MAX_RULE)), self.style(Token::MdHr))],
        }
    }

    fn heading(&self, level: u8, runs: &[Run], columns: usize) -> Vec<Row> {
        let mut style = self.style(Token::MdHeading).bold();
        if level == 1 {
            style = style.with(Attributes::UNDERLINE);
        }
        let mut row = Row::new();
        if level > 2 {
            row.push_text(format!("{} ", "#".repeat(usize::from(level))), style);
        }
        let lines = self.lines(runs, style);
        let mut rows = Vec::new();
        for line in lines {
            row.append(line);
            rows.extend(std::mem::take(&mut row).wrap(columns));
        }
        rows
    }

    fn code(&self, language: &str, text: &str, columns: usize) -> Vec<Row> {
        let border = self.style(Token::MdCodeBlockBorder);
        let inner = columns.saturating_sub(2).max(1);
        // What follows the language is for other programs.
        let name = language.split([' ', ',', '{']).next().unwrap_or_default();
        let lines = if self.options.highlights {
            highlight(text, name, self.theme)
        } else {
            Row::lines(text, self.style(Token::MdCodeBlock))
        };
        let mut rows = vec![Row::styled(format!("```{language}"), border).cut(columns)];
        for line in lines {
            if self.options.wraps_code {
                rows.extend(line.hard_wrap(inner).into_iter().map(|row| row.indented(2.min(columns - 1))));
            } else {
                rows.push(line.indented(2));
            }
        }
        rows.push(Row::styled("```", border).cut(columns));
        rows
    }

    fn quote(&self, blocks: &[Block], columns: usize) -> Vec<Row> {
        let inner = Layout { theme: self.theme, options: self.options.text(self.style(Token::MdQuote)) };
        let rows = inner.blocks(blocks, columns.saturating_sub(2).max(1));
        let bar = self.style(Token::MdQuoteBorder);
        rows.into_iter().map(|row| prefixed("│ ", bar, row).cut(columns)).collect()
    }

    fn list(&self, start: Option<u64>, items: &[Vec<Block>], columns: usize) -> Vec<Row> {
        let bullet = self.style(Token::MdListBullet);
        let mut rows = Vec::new();
        for (number, item) in (0_u64..).zip(items) {
            let mark =
                start.map_or_else(|| "• ".to_owned(), |first| format!("{}. ", first.saturating_add(number)));
            let indent = crate::width(&mark);
            let inner = columns.saturating_sub(indent).max(1);
            let mut lines = Vec::new();
            for block in item {
                // Items are close together; only a code block stands apart.
                lines.extend(self.block(block, inner));
            }
            if lines.is_empty() {
                lines.push(Row::new());
            }
            for (at, line) in lines.into_iter().enumerate() {
                let row = if at == 0 { prefixed(&mark, bullet, line) } else { line.indented(indent) };
                rows.push(row.cut(columns));
            }
        }
        rows
    }

    fn wrapped(&self, runs: &[Run], base: Style, columns: usize) -> Vec<Row> {
        self.lines(runs, base).iter().flat_map(|line| line.wrap(columns)).collect()
    }

    /// Runs as rows that are not wrapped yet: one for each hard break.
    pub(super) fn lines(&self, runs: &[Run], base: Style) -> Vec<Row> {
        let mut rows = vec![Row::new()];
        for run in runs {
            for (at, part) in run.text.split('\n').enumerate() {
                if at > 0 {
                    rows.push(Row::new());
                }
                if let Some(row) = rows.last_mut() {
                    self.push(row, run, part, base);
                }
            }
        }
        rows
    }

    fn push(&self, row: &mut Row, run: &Run, text: &str, base: Style) {
        let mut style = if run.code { self.style(Token::MdCode).over(base) } else { base };
        for (is_on, attribute) in
            [(run.bold, Attributes::BOLD), (run.italic, Attributes::ITALIC), (run.strike, Attributes::STRIKE)]
        {
            if is_on {
                style = style.with(attribute);
            }
        }
        let Some(address) = &run.link else {
            return row.push_text(text, style);
        };
        let style = self.style(Token::MdLink).over(style).with(Attributes::UNDERLINE);
        row.push(Span::new(text, style).link(address));
        // The address is shown where the text does not say it: links are not visible in every terminal.
        if address != text && address.strip_prefix("mailto:") != Some(text) {
            row.push_text(format!(" ({address})"), self.style(Token::MdLinkUrl));
        }
    }
}

fn prefixed(prefix: &str, style: Style, row: Row) -> Row {
    let mut whole = Row::styled(prefix, style);
    whole.append(row);
    whole
}
