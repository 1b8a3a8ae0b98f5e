//! A choice from a list with the arrow keys, between the lines a command prints.

use std::time::Instant;

use toolsmith_tool::{CancelToken, visible_line};
use toolsmith_tui::{
    dialog::{List, ListItem, Space},
    input::{Input, KeyCode, KeyKind},
    keys::{Action, KeyBindings},
    tty::Keyboard,
};

use toolsmith_text::plain;

use crate::{
    streams::{self, Control},
    terminal::{self, DIM, paint},
    tool_view,
};

/// Longer lists have a search field; in shorter ones a digit selects an entry.
const MAX_BY_DIGIT: usize = 9;
const HINT: &str = "↑↓ to move, Enter to choose, Esc for none";

/// The rows of the list that are on the screen. They are removed when the choice ends, also if the future that asks is
/// dropped.
#[derive(Default)]
struct Shown(usize);

impl Shown {
    fn erase(&mut self) {
        let mut out = streams::stderr();
        for _ in 0..std::mem::take(&mut self.0) {
            // The terminal may be gone.
            let _ = out.control(Control::ClearLineAbove);
        }
    }

    fn draw(&mut self, list: &mut List, count: usize, keys: &KeyBindings) {
        use std::io::Write as _;
        self.erase();
        // A row as wide as the terminal could wrap.
        let columns = terminal::error_width().unwrap_or(80).saturating_sub(1).max(10);
        let room = terminal::error_rows().unwrap_or(24).saturating_sub(3).clamp(3, count + 2);
        let space = Space { columns, rows: room, theme: tool_view::theme(), keys, now: Instant::now() };
        let rows = list.draw(&space).rows;
        let mut out = streams::stderr();
        for row in &rows {
            let _ = out.row(row);
        }
        let _ = writeln!(out, "{}", paint(DIM, HINT)).and_then(|()| out.flush());
        self.0 = rows.len() + 1;
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.erase();
    }
}

/// Lets the person choose an option; returns its index, or nothing for no choice. Fails where keys cannot be read.
pub(crate) async fn choose(
    options: &[String],
    descriptions: &[String],
    cancel: &CancelToken,
) -> Result<Option<usize>, toolsmith_tui::tty::TtyError> {
    let mut keyboard = Keyboard::open()?;
    let keys = KeyBindings::default();
    let items = options.iter().enumerate().map(|(at, option)| {
        let detail =
            descriptions.get(at).map(|text| visible_line(&plain(text)).into_owned()).unwrap_or_default();
        ListItem::new(visible_line(&plain(option)), detail)
    });
    let has_search = options.len() > MAX_BY_DIGIT;
    let mut list = List::new(items.collect(), has_search);
    let mut shown = Shown::default();
    loop {
        shown.draw(&mut list, options.len(), &keys);
        let input = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(None),
            input = keyboard.next() => input,
        };
        let key = match input {
            Input::Key { key, .. } if key.kind == KeyKind::Release => continue,
            Input::Key { key, .. } => key,
            Input::Closed => return Ok(None),
            Input::Paste(text) => {
                list.paste(&text);
                continue;
            }
            _ => continue,
        };
        if keys.is(&key, Action::SelectConfirm) {
            return Ok(list.selected());
        }
        // The end of input chooses nothing, as in a question that takes a line.
        if keys.is(&key, Action::SelectCancel) || (key.modifiers.ctrl && key.code == KeyCode::Char('d')) {
            return Ok(None);
        }
        let digit = key.text().filter(|_| !has_search).and_then(|c| c.to_digit(10));
        match digit.and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1)) {
            Some(at) => list.select(at),
            None => {
                list.key(&key, &keys);
            }
        }
    }
}
