//! The inline writer against a vt100 screen.

use proptest::prelude::*;

use super::*;
use crate::{text::Style, tty::Size};

/// A terminal of this size with much scrollback.
struct Terminal {
    vt: vt100::Parser,
    inline: Inline,
    bytes: Vec<u8>,
}

impl Terminal {
    fn new(rows: u16, columns: u16) -> Self {
        let size = Size { columns: columns.into(), rows: rows.into() };
        let abilities = Abilities { reflows: false, synchronized: true, ..Abilities::default() };
        Self {
            vt: vt100::Parser::new(cells(rows), cells(columns), 20_000),
            inline: Inline::new(size, abilities),
            bytes: Vec::new(),
        }
    }

    fn draw(&mut self, history: &[Row], frame: &Frame) -> usize {
        let bytes = self.inline.draw(history, frame);
        self.vt.process(&bytes);
        self.bytes.extend_from_slice(&bytes);
        bytes.len()
    }

    fn resize(&mut self, rows: u16, columns: u16) {
        self.vt.screen_mut().set_size(cells(rows), cells(columns));
        self.inline.resize(Size { columns: columns.into(), rows: rows.into() });
    }

    /// All rows, scrolled ones first, without empty ones at the end.
    fn all(&mut self) -> Vec<String> {
        let (rows, columns) = self.vt.screen().size();
        let (rows, columns) = (rows.get(), columns.get());
        let screen = self.vt.screen_mut();
        screen.set_scrollback(usize::MAX);
        let scrolled = screen.scrollback();
        let mut all = Vec::new();
        for offset in (1..=scrolled).rev() {
            screen.set_scrollback(offset);
            all.extend(screen.rows(0, columns).next());
        }
        screen.set_scrollback(0);
        all.extend(screen.rows(0, columns).take(rows.into()));
        while all.last().is_some_and(|row| row.trim().is_empty()) {
            all.pop();
        }
        all
    }

    fn assert_caret(&self, frame: &Frame) {
        let (_, column) = self.vt.screen().cursor_position();
        assert_eq!(usize::from(column), frame.cursor.1);
    }
}

fn cells(count: u16) -> std::num::NonZero<u16> {
    count.try_into().unwrap()
}

fn frame(rows: &[&str]) -> Frame {
    let rows: Vec<Row> = rows.iter().map(|row| Row::plain(*row)).collect();
    let last = rows.len().saturating_sub(1);
    Frame { cursor: (last, rows.last().map_or(0, Row::width)), rows, shows_cursor: true }
}

#[test]
fn c9_1_history_is_written_once_and_the_region_stays_below() {
    let mut terminal = Terminal::new(24, 80);
    terminal.draw(&[], &frame(&["> "]));
    let mut expected = Vec::new();
    for number in 0..5000 {
        let row = format!("row {number}");
        let live = frame(&[&format!("working {number}"), "", "> typed"]);
        // Several rows at a time now and then, and a region of changing height.
        match number % 7 {
            0 => terminal.draw(&[], &frame(&["one", "two", "three", "four", "> "])),
            _ => terminal.draw(&[], &live),
        };
        terminal.draw(&[Row::plain(&row)], &live);
        terminal.assert_caret(&live);
        expected.push(row);
    }
    expected.extend(["working 4999", "", "> typed"].map(str::to_owned));
    assert_eq!(terminal.all(), expected);
    let text = String::from_utf8_lossy(&terminal.bytes).into_owned();
    for forbidden in ["\x1b[2J", "\x1b[3J", "\x1b[J", "\x1b[0J", "\x1b[1J", "\x1b[H", "r\x1b[1;"] {
        assert!(!text.contains(forbidden), "{forbidden:?} was sent");
    }
}

#[test]
fn c9_2_a_frame_without_changes_writes_nothing() {
    let mut terminal = Terminal::new(24, 80);
    let live = frame(&["status", "> abc"]);
    assert!(terminal.draw(&[], &live) > 0);
    assert_eq!(terminal.draw(&[], &live), 0);
    let typed = frame(&["status", "> abcd"]);
    assert!(terminal.draw(&[], &typed) <= 8, "one key is one character");
    assert_eq!(terminal.draw(&[], &typed), 0);
}

#[test]
fn a_spinner_tick_is_small() {
    let mut terminal = Terminal::new(24, 80);
    let with = |spinner: &str| Frame {
        rows: vec![
            Row::styled(spinner, Style::PLAIN.fg(crate::text::Color::Rgb(1, 2, 3)))
                .and(" Working… (12s)", Style::PLAIN),
            Row::plain("> "),
        ],
        cursor: (1, 2),
        shows_cursor: true,
    };
    terminal.draw(&[], &with("⠋"));
    let bytes = terminal.draw(&[], &with("⠙"));
    assert!(bytes <= 40, "{bytes}");
    assert_eq!(terminal.all(), ["⠙ Working… (12s)", "> "]);
}

#[test]
fn a_frame_higher_than_the_screen_keeps_the_caret_visible() {
    for (rows, columns) in [(1, 1), (2, 1), (1, 80), (3, 10)] {
        let mut terminal = Terminal::new(rows, columns);
        let live = frame(&["a", "b", "c", "d", "e", "f"]);
        terminal.draw(&[Row::plain("history")], &live);
        terminal.draw(&[], &live);
        let (row, _) = terminal.vt.screen().cursor_position();
        assert!(row < rows);
    }
}

#[test]
fn erasing_leaves_only_history() {
    let mut terminal = Terminal::new(10, 40);
    terminal.draw(&[Row::plain("kept")], &frame(&["one", "two", "> x"]));
    let bytes = terminal.inline.erase();
    terminal.vt.process(&bytes);
    assert_eq!(terminal.all(), ["kept"]);
    assert_eq!(terminal.vt.screen().cursor_position(), (1, 0));
}

#[derive(Clone, Debug)]
enum Act {
    History(Vec<String>),
    Live(Vec<String>, usize),
    Resize(u16),
}

fn act() -> impl Strategy<Value = Act> {
    let text = prop::sample::select(vec![
        "",
        "plain",
        "漢字かな",
        "👨‍👩‍👧 family",
        "tab\there",
        "é combined e\u{301}",
        "❤️ VS16",
        "esc\x1b[2J\x1b]0;t\x07",
        "long long long long long long long text",
    ]);
    let texts = prop::collection::vec(text.prop_map(str::to_owned), 0..6);
    prop_oneof![
        texts.clone().prop_map(Act::History),
        (texts, 0_usize..20).prop_map(|(rows, column)| Act::Live(rows, column)),
        (5_u16..90).prop_map(Act::Resize),
    ]
}

proptest! {
    /// Whatever is drawn, history rows appear once, in order, whole, and the region is as asked.
    #[test]
    fn c9_1_any_sequence_of_frames_keeps_every_row(acts in prop::collection::vec(act(), 1..40)) {
        let mut terminal = Terminal::new(12, 90);
        let mut live = frame(&["> "]);
        let mut number = 0;
        let mut expected = 0;
        for act in acts {
            match act {
                Act::History(rows) => {
                    let rows: Vec<Row> = rows.iter().map(|row| { number += 1; Row::plain(format!("#{number} {row}")) }).collect();
                    expected += rows.len();
                    terminal.draw(&rows, &live);
                }
                Act::Live(rows, column) => {
                    let mut rows: Vec<Row> = rows.iter().map(Row::plain).collect();
                    rows.push(Row::plain("> "));
                    live = Frame { cursor: (rows.len() - 1, column.min(4)), rows, shows_cursor: true };
                    terminal.draw(&[], &live);
                }
                Act::Resize(columns) => {
                    terminal.resize(12, columns.max(5));
                    terminal.draw(&[], &live);
                }
            }
            terminal.assert_caret(&live);
        }
        let all = terminal.all();
        let found: Vec<usize> = all.iter().filter_map(|row| row.strip_prefix('#')?.split(' ').next()?.parse().ok()).collect();
        prop_assert_eq!(found, (1..=expected).collect::<Vec<_>>());
    }
}

#[test]
fn an_image_is_drawn_once_within_its_rows_and_the_next_row_is_below_it() {
    let mut terminal = Terminal::new(10, 40);
    terminal.draw(&[], &frame(&["> "]));
    let history: Vec<Row> = ["call", "", "", "after"].iter().map(|row| Row::plain(*row)).collect();
    let image = PlacedImage { row: 1, rows: 2, column: 3, sequence: "PICTURE".to_owned() };
    let live = frame(&["> x"]);
    let bytes = terminal.inline.draw_with_images(&history, std::slice::from_ref(&image), &live);
    terminal.vt.process(&bytes);
    assert_eq!(terminal.all(), ["call", "   PICTURE", "", "after", "> x"]);
    terminal.assert_caret(&live);
    // An image that is as high as the screen would scroll while it is drawn; its rows stay empty.
    let tall: Vec<Row> = std::iter::repeat_with(Row::new).take(10).collect();
    let image = PlacedImage { row: 0, rows: 10, ..image };
    let bytes = terminal.inline.draw_with_images(&tall, &[image], &live);
    assert!(!String::from_utf8_lossy(&bytes).contains("PICTURE"));
}

/// A terminal that answers each question for its size.
fn telling(rows: u16, columns: u16) -> Terminal {
    let mut terminal = Terminal::new(rows, columns);
    let abilities = Abilities { tells_size: true, ..terminal.inline.abilities() };
    terminal.inline.set_abilities(abilities);
    terminal
}

#[test]
fn c9_1_rows_written_while_the_terminal_was_narrower_are_there_once() {
    let mut terminal = telling(12, 60);
    let live = frame(&["working", "> typed"]);
    terminal.draw(&[Row::plain("first")], &live);
    assert!(!terminal.inline.answered(Size { columns: 60, rows: 12 }));
    // The terminal becomes narrower, and nobody tells.
    terminal.vt.screen_mut().set_size(cells(12), cells(20));
    terminal.draw(&[Row::plain("second"), Row::plain("third")], &live);
    assert!(terminal.inline.awaits_until().is_some());
    assert!(terminal.inline.answered(Size { columns: 20, rows: 12 }));
    assert!(terminal.inline.awaits_until().is_none());
    terminal.draw(&[], &live);
    assert_eq!(terminal.all(), ["first", "second", "third", "working", "> typed"]);
    terminal.assert_caret(&live);
}

#[test]
fn answers_in_the_expected_size_change_nothing_and_a_missing_one_is_not_awaited_for_ever() {
    let mut terminal = telling(12, 60);
    let size = Size { columns: 60, rows: 12 };
    for number in 0..3 {
        terminal.draw(&[Row::plain(format!("row {number}"))], &frame(&["> "]));
    }
    // Three frames, three answers; one more is ignored.
    for _ in 0..4 {
        assert!(!terminal.inline.answered(size));
    }
    assert!(terminal.inline.awaits_until().is_none());
    assert_eq!(terminal.draw(&[], &frame(&["> "])), 0);
    terminal.draw(&[Row::plain("row 3")], &frame(&["> "]));
    terminal.inline.stop_waiting();
    assert!(terminal.inline.awaits_until().is_none());
    assert_eq!(terminal.all(), ["row 0", "row 1", "row 2", "row 3", "> "]);
}
