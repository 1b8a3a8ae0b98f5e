//! The full screen: entering, leaving, composing and keys of the transcript view.

use toolsmith::tool::NoticeLevel;

use super::{
    interface::App,
    transcript_view::{TranscriptView, ViewLook},
};
use crate::{
    input::{Key, KeyCode, Mouse, MouseAction},
    keys::Action,
    screen::{Frame, FullScreen},
    text::Row,
    tty::{ALT_SCREEN_OFF, ALT_SCREEN_ON, set_alt_screen},
};

/// Rows of one step of the mouse wheel.
const WHEEL: isize = 3;
/// Rows of the transcript that are printed when a program that used the full screen ends.
const LAST_ROWS: usize = 200;

/// The full screen.
pub(super) struct Full {
    screen: FullScreen,
    pub(super) view: TranscriptView,
    /// The composer is below the transcript.
    is_docked: bool,
    /// It was opened for an overlay of a tool, and closes with it.
    is_for_overlay: bool,
}

impl App {
    /// Opens the transcript on the whole screen.
    pub(super) fn open_full(&mut self, is_docked: bool) {
        if self.full.is_some() {
            return;
        }
        let screen = FullScreen::new(self.size, self.inline.abilities());
        let view = TranscriptView::new(self.transcript.items.len());
        self.full = Some(Full { screen, view, is_docked, is_for_overlay: false });
        self.enter_full();
        self.changed_now();
    }

    /// Shows the end of a transcript that was replaced.
    pub(super) fn restart_full_view(&mut self) {
        if let Some(full) = &mut self.full {
            full.view = TranscriptView::new(self.transcript.items.len());
        }
    }

    /// Shows the alternate screen, also after another program used the terminal.
    pub(super) fn enter_full(&mut self) {
        if let Some(full) = &mut self.full {
            set_alt_screen(true);
            full.screen = FullScreen::new(self.size, self.inline.abilities());
            self.tty.output().submit(ALT_SCREEN_ON.as_bytes().to_vec());
        }
    }

    /// Goes back to the normal screen.
    pub(super) fn close_full(&mut self) {
        if self.full.take().is_some() {
            set_alt_screen(false);
            self.tty.output().submit(ALT_SCREEN_OFF.as_bytes().to_vec());
            self.inline.resize(self.size);
            self.inline.forget();
            self.changed_now();
        }
    }

    /// Shows the full screen while a tool has an overlay: rows that belong to the terminal cannot be drawn over.
    pub(super) fn follow_overlays(&mut self) {
        match (self.components.has_overlays(), &self.full) {
            (true, None) => {
                self.open_full(true);
                if let Some(full) = &mut self.full {
                    full.is_for_overlay = true;
                }
            }
            (false, Some(full)) if full.is_for_overlay => self.close_full(),
            _ => {}
        }
    }

    pub(super) fn is_full_for_overlay(&self) -> bool {
        self.full.as_ref().is_some_and(|full| full.is_for_overlay)
    }

    pub(super) fn is_docked(&self) -> bool {
        self.full.as_ref().is_some_and(|full| full.is_docked)
    }

    pub(super) fn resize_full(&mut self) {
        if let Some(full) = &mut self.full {
            full.screen.resize(self.size);
        }
    }

    /// Returns the bytes of a frame of the full screen.
    pub(super) fn compose_full(&mut self) -> Vec<u8> {
        let Some(mut full) = self.full.take() else { return Vec::new() };
        let columns = self.columns();
        let (status, search_column) = full.view.status(columns, &self.theme);
        let (mut bottom, cursor) = match full.is_docked && search_column.is_none() {
            true => self.bottom(self.size.rows.saturating_sub(1).max(1)),
            false => (vec![status], search_column.map(|column| (0, column))),
        };
        let rows = self.size.rows.saturating_sub(bottom.len());
        let look = ViewLook {
            columns,
            rows,
            theme: &self.theme,
            theme_version: self.theme_version,
            options: self.block_options(),
        };
        let mut shown: Vec<Row> = full.view.rows(&self.transcript.items, &look);
        // The transcript stands on the composer; a short one begins at the top.
        shown.resize_with(rows, Row::new);
        let top = shown.len();
        shown.append(&mut bottom);
        let mut frame = Frame {
            rows: shown,
            cursor: cursor.map_or((self.size.rows, 0), |(row, column)| (top + row, column)),
            shows_cursor: cursor.is_some(),
        };
        self.draw_overlays(&mut frame);
        let bytes = full.screen.draw(&frame);
        self.full = Some(full);
        bytes
    }

    /// Handles a key of the transcript view; returns whether it meant something there.
    pub(super) fn full_key(&mut self, key: &Key) -> bool {
        let Some(full) = &mut self.full else { return false };
        let (view, keys, items) = (&mut full.view, &self.keys, &self.transcript.items);
        if view.is_searching() {
            if keys.is(key, Action::SearchClose) {
                view.end_search();
            } else if keys.is(key, Action::SearchNext) {
                view.accept_query();
            } else if keys.is(key, Action::DeleteCharBackward) {
                view.change_query(|query| {
                    query.pop();
                });
            } else if let Some(c) = key.text() {
                view.change_query(|query| query.push(c));
            }
            return true;
        }
        let page = view.page();
        match keys.first(
            key,
            &[
                Action::ScreenPageUp,
                Action::ScreenPageDown,
                Action::ScreenHalfPageUp,
                Action::ScreenHalfPageDown,
                Action::ScreenLineUp,
                Action::ScreenLineDown,
                Action::PreviousPrompt,
                Action::NextPrompt,
                Action::ScreenSearch,
                Action::ScreenTop,
                Action::ScreenBottom,
            ],
        ) {
            Some(Action::ScreenPageUp) => view.scroll_by(-page),
            Some(Action::ScreenPageDown) => view.scroll_by(page),
            Some(Action::ScreenHalfPageUp) => view.scroll_by(-page / 2),
            Some(Action::ScreenHalfPageDown) => view.scroll_by(page / 2),
            Some(Action::ScreenLineUp) => view.scroll_by(-1),
            Some(Action::ScreenLineDown) => view.scroll_by(1),
            Some(Action::PreviousPrompt) => view.go_to_prompt(false, items),
            Some(Action::NextPrompt) => view.go_to_prompt(true, items),
            Some(Action::ScreenSearch) => view.start_search(),
            Some(Action::ScreenTop) => view.go_to_top(),
            Some(Action::ScreenBottom) => view.go_to_end(),
            _ if full.is_docked => return false,
            _ => return self.pager_key(key),
        }
        true
    }

    /// Keys that belong to the transcript only where there is no composer.
    fn pager_key(&mut self, key: &Key) -> bool {
        let Some(full) = &mut self.full else { return false };
        let (view, items) = (&mut full.view, &self.transcript.items);
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => view.scroll_by(-1),
            KeyCode::Down | KeyCode::Char('j') => view.scroll_by(1),
            KeyCode::Home | KeyCode::Char('g') => view.go_to_top(),
            KeyCode::End | KeyCode::Char('G') => view.go_to_end(),
            KeyCode::Char(' ') => view.scroll_by(view.page()),
            KeyCode::Char('/') => view.start_search(),
            KeyCode::Char('n') => view.find(true),
            KeyCode::Char('N') => view.find(false),
            KeyCode::Tab => view.select(!key.modifiers.shift, items),
            KeyCode::Enter => view.toggle(),
            KeyCode::Char('y') => self.copy_selected(),
            KeyCode::Escape if view.has_search() => view.end_search(),
            _ if self.keys.is(key, Action::ToolsExpand) => {
                self.is_expanded = !self.is_expanded;
                view.forget();
            }
            KeyCode::Escape | KeyCode::Char('q') => self.close_full(),
            _ if self.keys.is(key, Action::Transcript) || self.keys.is(key, Action::Clear) => {
                self.close_full()
            }
            _ => {}
        }
        true
    }

    fn copy_selected(&mut self) {
        let selected = self.full.as_ref().and_then(|full| full.view.selected());
        let text = match selected.and_then(|at| self.transcript.items.get(at)) {
            Some(item) => item.text(),
            None => self.transcript.last_answer().unwrap_or_default().to_owned(),
        };
        self.copy(&text);
        self.notice(NoticeLevel::Info, "Copied.");
    }

    pub(super) fn mouse(&mut self, mouse: Mouse) {
        let Some(full) = &mut self.full else { return };
        match mouse.action {
            MouseAction::WheelUp => full.view.scroll_by(-WHEEL),
            MouseAction::WheelDown => full.view.scroll_by(WHEEL),
            _ => return,
        }
        self.changed_now();
    }

    /// Prints the end of the transcript to the normal screen, when a program that used the full screen ends.
    pub(super) fn last_rows(&mut self) -> Vec<Row> {
        let mut rows = self.remaining_rows();
        let extra = rows.len().saturating_sub(LAST_ROWS);
        rows.drain(..extra);
        rows
    }
}
