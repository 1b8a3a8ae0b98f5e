//! Composing a frame: which items are finished and go to the scrollback, and the rows of the live region.
//!
//! An item is written to the scrollback when it is final and every earlier one is. A long answer is written as far as no
//! later text can change it, so that the live region stays small.

use std::time::{Duration, Instant};

use toolsmith_tool::WidgetPlacement;

use super::{
    components::Part,
    interface::App,
    status::spinner_frame,
    transcript::{Item, LAST_DRAWING},
};
use crate::{
    blocks::{BlockOptions, ToolState},
    dialog::Space,
    keys::Action,
    screen::{Frame, PlacedImage},
    text::{Row, Style, Token},
    tool_text,
    tool_view::DrawOptions,
};

/// Rows of the prompt that are shown at once, at most.
const MAX_PROMPT_ROWS: usize = 12;
/// Column of the left edge of images.
const IMAGE_COLUMN: usize = 3;
/// Rows that are written to the scrollback with one frame; further ones follow with the next.
const MAX_HISTORY: usize = 300;
/// Rows that are written when the program ends. Further ones would delay the end.
const MAX_REMAINING: usize = 1000;
/// Queued messages shown.
const MAX_QUEUED: usize = 4;

/// Rows that no longer change, with the images among them.
#[derive(Default)]
pub(super) struct Finished {
    pub(super) rows: Vec<Row>,
    images: Vec<PlacedImage>,
}

impl App {
    /// Columns that may be used: the last one stays free, so that narrowing the window by one does not wrap every row.
    pub(super) fn columns(&self) -> usize {
        self.size.columns.saturating_sub(1).max(1)
    }

    pub(super) fn block_options(&self) -> BlockOptions {
        let since = self.running.unwrap_or_else(Instant::now);
        let mut options = BlockOptions::default()
            .expanded(self.is_expanded)
            .shows_thinking(self.shows_thinking)
            .spinner_frame(spinner_frame(since, Instant::now()));
        // One sign that moves is enough, and costs a terminal half as much as two.
        let has_working_row = self.running.is_some() && !self.status.is_hidden;
        options.has_motion = self.options.has_motion && !has_working_row;
        options
    }

    /// Updates what live items show: running times, and what tools drew.
    fn update_live(&mut self) {
        let options = self.block_options();
        let mut draw = DrawOptions::new(self.columns());
        (draw.expanded, draw.spinner_frame, draw.theme_version) =
            (options.expanded, options.spinner_frame, self.theme_version);
        for item in self.transcript.items.iter_mut().skip(self.transcript.committed) {
            match item {
                Item::Tool(item) => {
                    if let (ToolState::Running, Some(started)) = (item.block.state, item.started) {
                        item.block.elapsed = Some(Duration::from_secs(started.elapsed().as_secs()))
                            .filter(|time| !time.is_zero());
                    }
                    if item.is_drawn && !item.block.state.is_live() {
                        continue;
                    }
                    let Some(tool) = &item.tool else {
                        item.is_drawn = true;
                        continue;
                    };
                    item.block.drawing = self.views.drawing(tool, &item.block, draw);
                    item.is_drawn = self.views.is_current(tool, &item.block, draw)
                        || item.ended.is_some_and(|ended| ended.elapsed() >= LAST_DRAWING);
                }
                Item::Thinking(block) => block.label.clone_from(&self.thinking_label),
                Item::Shell(item) if !item.is_final => {
                    item.block.elapsed = Some(Duration::from_secs(item.started.elapsed().as_secs()));
                }
                _ => {}
            }
        }
    }

    /// Returns the bytes of the next frame.
    pub(super) fn compose(&mut self) -> Vec<u8> {
        self.update_live();
        self.draw_messages();
        self.follow_overlays();
        if self.full.is_some() {
            return self.compose_full();
        }
        let max_rows = self.inline.max_rows();
        let (mut bottom, cursor) = self.bottom(max_rows);
        let room = max_rows.saturating_sub(bottom.len());
        let history = self.take_finished(room);
        let mut rows = self.live_rows(room);
        let top = rows.len();
        rows.append(&mut bottom);
        let shows_cursor = cursor.is_some();
        let cursor = cursor.unwrap_or((rows.len().saturating_sub(top + 1), 0));
        let frame = Frame { rows, cursor: (top + cursor.0, cursor.1), shows_cursor };
        self.inline.draw_with_images(&history.rows, &history.images, &frame)
    }

    /// Takes the rows that are finished.
    fn take_finished(&mut self, room: usize) -> Finished {
        let mut history = Finished::default();
        while let Some(item) = self.transcript.items.get(self.transcript.committed) {
            if !item.is_final() {
                break;
            }
            if room > 0 && history.rows.len() >= MAX_HISTORY {
                self.changed();
                return history;
            }
            let (columns, options) = (self.columns(), self.block_options());
            let rows = match self.transcript.items.get_mut(self.transcript.committed) {
                Some(Item::Answer { stream, .. }) if stream.has_backlog() && room > 0 => {
                    // The next frames take the rest: keys come in between.
                    let rows = stream.take_finished(columns, &self.theme);
                    self.append_item(rows, &mut history.rows);
                    self.transcript.is_partial = true;
                    self.changed();
                    return history;
                }
                Some(Item::Answer { stream, .. }) => {
                    let dropped = if room > 0 { 0 } else { stream.drop_backlog() };
                    let note = format!("({dropped} bytes of the text are not shown)");
                    let note = (dropped > 0).then(|| Row::styled(note, self.theme.style(Token::Dim)));
                    note.into_iter().chain(stream.finish(columns, &self.theme)).collect()
                }
                Some(item) => item.rows(columns, &self.theme, &options),
                None => Vec::new(),
            };
            self.append_item(rows, &mut history.rows);
            if room > 0 {
                self.append_images(&mut history);
            }
            self.transcript.committed += 1;
            self.transcript.is_partial = false;
        }
        // The finished part of an answer that is still growing.
        let (columns, theme) = (self.columns(), self.theme.clone());
        let mut taken = Vec::new();
        if let Some(Item::Answer { stream, .. }) = self.transcript.items.get_mut(self.transcript.committed) {
            let has_backlog = stream.has_backlog();
            taken = stream.take_finished(columns, &theme);
            if has_backlog {
                self.changed();
            } else {
                let tail = stream.tail(columns, &theme).len();
                if tail > room && room > 0 {
                    taken.extend(stream.take_rows(tail - room / 2, columns, &theme));
                }
            }
        }
        if !taken.is_empty() {
            self.append_item(taken, &mut history.rows);
            self.transcript.is_partial = true;
        }
        history
    }

    /// Counts the rows of a growing answer as written that a narrower terminal pushed into its scrollback. They were drawn
    /// for `columns`.
    pub(super) fn keep_lost(&mut self, columns: usize) {
        let mut lost = self.inline.take_lost();
        let theme = self.theme.clone();
        let transcript = &mut self.transcript;
        let Some(Item::Answer { stream, .. }) = transcript.items.get_mut(transcript.committed) else {
            return;
        };
        if lost == 0 || stream.has_backlog() {
            return;
        }
        // The empty row before it.
        if !transcript.is_partial && transcript.has_rows {
            lost -= 1;
        }
        let tail = stream.tail(columns, &theme).len();
        stream.take_rows(lost.min(tail), columns, &theme);
        (transcript.is_partial, transcript.has_rows) = (true, true);
    }

    /// Appends the images of a call that ended, where the terminal can show them. The call itself names them.
    fn append_images(&mut self, history: &mut Finished) {
        let Some(protocol) = self.image_protocol.filter(|_| self.options.shows_images) else { return };
        let Some(Item::Tool(item)) = self.transcript.items.get(self.transcript.committed) else { return };
        let columns = self.columns().saturating_sub(IMAGE_COLUMN);
        for image in item.block.images() {
            let Some(drawn) = image.drawn(protocol, columns, None) else { continue };
            let row = history.rows.len();
            history.rows.extend(std::iter::repeat_with(Row::new).take(drawn.rows));
            let (rows, sequence) = (drawn.rows, drawn.sequence);
            history.images.push(PlacedImage { row, rows, column: IMAGE_COLUMN, sequence });
        }
    }

    /// Appends an item with an empty row before it, unless its first part was appended before.
    fn append_item(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) {
        if rows.is_empty() {
            return;
        }
        if !self.transcript.is_partial && self.transcript.has_rows {
            out.push(Row::new());
        }
        self.transcript.has_rows = true;
        out.extend(rows);
    }

    /// The rows that are not in the scrollback yet, at the end of the program: all of them, unless there are very many.
    pub(super) fn remaining_rows(&mut self) -> Vec<Row> {
        let (columns, options) = (self.columns(), self.block_options());
        let (mut first, mut rows) = (self.transcript.items.len(), 0);
        while first > self.transcript.committed && rows < MAX_REMAINING {
            first -= 1;
            let item = self.transcript.items.get(first);
            rows += item.map_or(0, |item| item.rows(columns, &self.theme, &options).len());
        }
        let mut remaining = Vec::new();
        let skipped = first - self.transcript.committed;
        if skipped > 0 {
            (self.transcript.committed, self.transcript.is_partial) = (first, false);
            let text = format!("({skipped} earlier items are not shown)");
            self.append_item(vec![Row::styled(text, self.style(Token::Dim))], &mut remaining);
        }
        remaining.extend(self.take_finished(0).rows);
        remaining
    }

    /// The rows of items that are not finished. If there are too many, running calls take one row each, and the last
    /// rows are shown.
    fn live_rows(&self, room: usize) -> Vec<Row> {
        // One row for the separator that the first item may not need, and one that shows that there are too many.
        let mut rows = self.last_live_rows(room + 2, false);
        if rows.len() > room {
            rows = self.last_live_rows(room, true);
        }
        rows.drain(..rows.len().saturating_sub(room));
        rows
    }

    /// The rows of the last items that are not finished: those that `enough` rows need, however many there are.
    fn last_live_rows(&self, enough: usize, is_short: bool) -> Vec<Row> {
        let (columns, options) = (self.columns(), self.block_options());
        let mut items = Vec::new();
        let mut count = 0;
        for at in (self.transcript.committed..self.transcript.items.len()).rev() {
            let Some(item) = self.transcript.items.get(at).filter(|_| count < enough) else { break };
            let item_rows = match is_short && !matches!(item, Item::Answer { .. }) {
                true => vec![item.short_row(columns, &self.theme, &options)],
                false => item.rows(columns, &self.theme, &options),
            };
            if !item_rows.is_empty() {
                count += item_rows.len() + usize::from(!is_short);
                items.push((at, item_rows));
            }
        }
        let mut rows = Vec::new();
        for (at, item_rows) in items.into_iter().rev() {
            let is_separate = !(at == self.transcript.committed && self.transcript.is_partial);
            if is_separate && (self.transcript.has_rows || !rows.is_empty()) && !is_short {
                rows.push(Row::new());
            }
            rows.extend(item_rows);
        }
        rows
    }

    /// The rows below the transcript: work in progress, widgets, queued messages, the composer or a panel, and the
    /// status line. Also the caret.
    pub(super) fn bottom(&mut self, max_rows: usize) -> (Vec<Row>, Option<(usize, usize)>) {
        let columns = self.columns();
        let now = Instant::now();
        let mut rows = Vec::new();
        let is_tiny = max_rows < 8;
        if !is_tiny {
            rows.push(Row::new());
        }
        // A question has the room: what extensions draw must not push it off the screen.
        let is_asking = self.panels.first().is_some_and(|panel| panel.is_question());
        if let Some(header) = self.part_rows(Part::Header, columns).filter(|_| !is_tiny && !is_asking) {
            rows.extend(header.rows.into_iter().take(max_rows / 3));
        }
        if let Some(since) = self.running.filter(|_| !self.status.is_hidden) {
            let interrupt = self.keys.hint(Action::Interrupt);
            rows.push(self.status.working_row(
                since,
                now,
                &interrupt,
                self.options.has_motion,
                columns,
                &self.theme,
            ));
        }
        if !is_tiny {
            if !is_asking {
                rows.extend(self.widget_rows(WidgetPlacement::AboveEditor, columns, max_rows / 3));
            }
            rows.extend(self.queue_rows(columns));
            rows.extend(self.pending_row.clone().map(|row| row.ellipsized(columns)));
        }
        let status = self.status_rows(columns, max_rows, is_asking);
        let room = max_rows.saturating_sub(rows.len() + status.len()).max(1);
        let keys = self.keys.clone();
        let theme = self.theme.clone();
        let cursor;
        if let Some(panel) = self.panels.first() {
            rows.push(border(columns, theme.style(Token::BorderAccent)));
            let space =
                Space { columns, rows: room.saturating_sub(2).max(1), theme: &theme, keys: &keys, now };
            let drawn = panel.draw(&space);
            cursor = drawn.cursor.map(|(row, column)| (rows.len() + row, column));
            rows.extend(
                drawn.rows.into_iter().take(room.saturating_sub(1).max(1)).map(|row| row.cut(columns)),
            );
        } else if let Some(view) = self.custom_rows(columns) {
            rows.push(border(columns, theme.style(Token::BorderAccent)));
            cursor = view.cursor.map(|(row, column)| (rows.len() + row, column));
            rows.extend(view.rows.into_iter().take(room.saturating_sub(1).max(1)));
        } else if let Some(editor) = self.part_rows(Part::Editor, columns) {
            cursor = editor.cursor.map(|(row, column)| (rows.len() + row, column));
            rows.extend(editor.rows.into_iter().take(room));
        } else {
            cursor = Some(self.composer_rows(columns, room, is_tiny, &mut rows));
        }
        rows.extend(status);
        (rows, cursor)
    }

    /// The status line, or what replaces it: a hint, or the footer of a tool. Widgets below the composer are above it.
    fn status_rows(&mut self, columns: usize, max_rows: usize, is_asking: bool) -> Vec<Row> {
        if max_rows <= 3 {
            return Vec::new();
        }
        let status = match &self.hint {
            Some((hint, _)) => Row::styled(hint, self.style(Token::Muted)).ellipsized(columns),
            None => self.status.row(&self.folder(), columns, &self.theme),
        };
        if is_asking {
            return vec![status];
        }
        let mut rows = self.widget_rows(WidgetPlacement::BelowEditor, columns, max_rows / 4);
        let footer = self.part_rows(Part::Footer, columns).map(|footer| footer.rows);
        match footer.filter(|_| self.hint.is_none()) {
            Some(footer) => rows.extend(footer.into_iter().take(max_rows / 4)),
            None => rows.push(status),
        }
        rows
    }

    fn composer_rows(
        &mut self,
        columns: usize,
        room: usize,
        is_tiny: bool,
        rows: &mut Vec<Row>,
    ) -> (usize, usize) {
        let style = self.border_style();
        if !is_tiny {
            rows.push(border(columns, style));
        }
        let menu = self.composer.menu_rows(columns, &self.theme);
        let frame_rows = if is_tiny { 0 } else { 2 };
        let prompt_rows = room.saturating_sub(frame_rows + menu.len()).clamp(1, MAX_PROMPT_ROWS);
        let prefix = if columns > 8 { 2 } else { 0 };
        let theme = self.theme.clone();
        let is_shell = self.composer.is_shell();
        let (text, (row, column)) = self.composer.rows(columns.saturating_sub(prefix), prompt_rows, &theme);
        let top = rows.len();
        let sign = theme.style(if is_shell { Token::BashMode } else { Token::Accent });
        for (at, line) in text.into_iter().enumerate() {
            let mut full = match (prefix, at) {
                (0, _) => Row::new(),
                (_, 0) => Row::styled(if is_shell { "! " } else { "› " }, sign),
                _ => Row::plain("  "),
            };
            full.append(line);
            rows.push(full);
        }
        if !is_tiny {
            rows.push(border(columns, style));
        }
        rows.extend(menu.into_iter().take(room.saturating_sub(prompt_rows.min(room) + frame_rows).max(1)));
        (top + row, prefix + column)
    }

    /// The border of the composer shows the thinking level, and whether the prompt is a shell command.
    fn border_style(&self) -> Style {
        let token = match self.status.thinking.as_str() {
            _ if self.composer.is_shell() => Token::BashMode,
            "minimal" => Token::ThinkingMinimal,
            "low" => Token::ThinkingLow,
            "medium" => Token::ThinkingMedium,
            "high" => Token::ThinkingHigh,
            "xhigh" => Token::ThinkingXhigh,
            _ => Token::ThinkingOff,
        };
        self.theme.style(token)
    }

    fn queue_rows(&self, columns: usize) -> Vec<Row> {
        let dim = self.style(Token::Muted);
        let waiting = self.waiting.iter().map(|sent| ("waiting", sent.text.as_str()));
        let queued = self
            .queued
            .iter()
            .map(|queued| (if queued.is_follow_up { "»" } else { "›" }, queued.text.as_str()));
        let all: Vec<_> = queued.chain(waiting).collect();
        let mut rows: Vec<Row> = all
            .iter()
            .take(MAX_QUEUED)
            .map(|(sign, text)| {
                let text = tool_text::line(text);
                Row::styled(format!("{sign} {text}"), dim).ellipsized(columns)
            })
            .collect();
        if all.len() > MAX_QUEUED {
            rows.push(Row::styled(format!("  and {} more", all.len() - MAX_QUEUED), dim));
        }
        if !rows.is_empty() {
            let hint = format!("  {} to edit queued messages", self.keys.hint(Action::Dequeue));
            rows.push(Row::styled(hint, self.style(Token::Dim)).ellipsized(columns));
        }
        rows
    }

    fn folder(&self) -> String {
        let home = self.options.home.user();
        match self.options.cwd.strip_prefix(home) {
            Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => self.options.cwd.display().to_string(),
        }
    }
}

fn border(columns: usize, style: Style) -> Row {
    Row::styled("─".repeat(columns), style)
}
