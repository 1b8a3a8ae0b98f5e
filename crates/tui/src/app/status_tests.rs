//! What the status line shows of names.

use super::*;

#[test]
fn c9_1_names_in_the_status_line_show_hidden_characters() {
    let status = Status {
        model: "m\u{200b}".to_owned(),
        branch: Some("ma\u{200b}in\u{ad}\nx".to_owned()),
        session_name: Some("\u{e0041}n".to_owned()),
        ..Status::default()
    };
    let row = status.row("/p\u{2060}", 200, &Theme::none()).text();
    assert_eq!(row, r"m\u{200b} · /p\u{2060} · ⎇ ma\u{200b}in\u{ad}\nx · \u{e0041}n");
}
