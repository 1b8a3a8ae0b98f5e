//! Lists of many options (CONTRACT 9.2).

use std::time::Instant;

use super::*;
use crate::{input::KeyCode, text::Theme};

fn numbered(count: usize) -> List {
    List::new((0..count).map(|number| ListItem::new(format!("option {number}"), "")).collect(), true)
}

fn shown(list: &mut List) -> Vec<String> {
    let (theme, keys) = (Theme::none(), KeyBindings::default());
    let space = Space { columns: 40, rows: 6, theme: &theme, keys: &keys, now: Instant::now() };
    list.draw(&space).rows.iter().map(Row::text).collect()
}

fn type_text(list: &mut List, text: &str) {
    for c in text.chars() {
        list.key(&Key::char(c), &KeyBindings::default());
    }
}

#[test]
fn c9_2_a_long_list_draws_the_rows_on_the_screen() {
    let mut list = numbered(50_000);
    assert_eq!(shown(&mut list).len(), 6);
    list.key(&Key::plain(KeyCode::Up), &KeyBindings::default());
    assert!(shown(&mut list).iter().any(|row| row.contains("option 49999")));
}

#[test]
fn a_search_that_is_typed_and_deleted_finds_what_a_new_one_does() {
    let mut typed = numbered(2000);
    type_text(&mut typed, "199");
    let mut pasted = numbered(2000);
    pasted.paste("199");
    assert_eq!(shown(&mut typed), shown(&mut pasted));
    assert_eq!(typed.selected(), Some(199));
    typed.key(&Key::plain(KeyCode::Backspace), &KeyBindings::default());
    let mut shorter = numbered(2000);
    shorter.paste("19");
    assert_eq!(shown(&mut typed), shown(&mut shorter));
}

#[test]
fn c9_2_a_search_and_labels_of_any_length_are_cut() {
    let mut list = List::new(vec![ListItem::new("x".repeat(1_000_000), "")], true);
    list.paste(&"x".repeat(1_000_000));
    assert_eq!(list.query().len(), MAX_TEXT);
    assert_eq!(list.selected(), Some(0));
}
