//! Finished rows are written once (CONTRACT 9.1).

use std::time::Duration;

use serde_json::json;

use super::{place, start};

/// Rows `row 1`, `row 2`, … in the order they appear.
fn numbers(all: &[String]) -> Vec<usize> {
    all.iter().filter_map(|row| row.split("row ").nth(1)?.split(' ').next()?.trim().parse().ok()).collect()
}

fn rows(count: usize) -> String {
    (1..=count).map(|number| format!("- row {number}\n")).collect()
}

#[test]
fn c9_1_five_thousand_streamed_rows_are_in_the_scrollback_once() {
    let text = format!("{}\nThe end.", rows(5000));
    let place = place(&json!({ "chunk": 400, "turns": [text] }));
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("The end.");
    assert_eq!(numbers(&screen.all()), (1..=5000).collect::<Vec<_>>());
    let bytes = String::from_utf8_lossy(&screen.bytes).into_owned();
    for forbidden in ["\x1b[2J", "\x1b[3J", "\x1b[J", "\x1b[0J", "\x1b[H", "\x1b[1;1H"] {
        assert!(!bytes.contains(forbidden), "{forbidden:?} was sent");
    }
}

#[test]
fn c9_1_a_code_block_taller_than_the_screen_loses_nothing() {
    let code: String = (1..=300).map(|number| format!("row {number}\n")).collect();
    let place = place(&json!({ "chunk": 50, "turns": [format!("```\n{code}```\n\nThe end.")] }));
    let mut screen = start(&place, &[]);
    screen.send("go");
    screen.wait_for("The end.");
    assert_eq!(numbers(&screen.all()), (1..=300).collect::<Vec<_>>());
}

#[test]
fn c9_1_resizing_loses_and_repeats_no_row() {
    let turn = |from: usize| -> String {
        (from..from + 100).map(|number| format!("- row {number}\n")).collect::<String>()
            + &format!("\nEnd {from}.")
    };
    let place = place(&json!({ "chunk": 60, "turns": [turn(1), turn(101), turn(201), turn(301)] }));
    let mut screen = start(&place, &[]);
    for from in [1, 101, 201, 301] {
        screen.send(&format!("turn {from}"));
        screen.wait_for(&format!("End {from}."));
        // The program rests, so that the emulator and the program have the same size for every frame.
        for step in 0..12_u16 {
            screen.listen(Duration::from_millis(120));
            screen.resize(24, if step % 2 == 0 { 60 + step * 4 } else { 200 - step * 4 });
        }
        screen.listen(Duration::from_millis(200));
        screen.resize(24, 80);
        screen.listen(Duration::from_millis(200));
    }
    assert_eq!(numbers(&screen.all()), (1..=400).collect::<Vec<_>>());
    let prompt_rows = screen.contents().lines().filter(|row| row.starts_with('›')).count();
    assert_eq!(prompt_rows, 1, "the live region is there once:\n{}", screen.contents());
}

#[test]
fn c9_2_an_idle_screen_writes_nothing() {
    let place = place(&json!(["Hello."]));
    let mut screen = start(&place, &[]);
    screen.send("hi");
    screen.wait_for("Hello.");
    screen.listen(Duration::from_millis(800));
    assert_eq!(screen.listen(Duration::from_secs(2)), 0);
}

#[test]
fn c9_1_a_tool_cannot_leave_its_place() {
    let evil = r"printf '\033]0;evil\007\033[2J\033[1;1Hmoved\033[5A\rreturned\tt\n\033]52;c;ZXZpbA==\007'; printf '漢字👨‍👩‍👧%.0s' $(seq 60)";
    let call = json!({ "reply": ["Before.", { "call": "bash", "arguments": { "command": evil } }] });
    let place = place(&json!([call, "After \u{1b}[2J\u{1b}]0;evil\u{7} that."]));
    let mut screen = start(&place, &["--approval-mode", "yolo"]);
    screen.send("go");
    screen.wait_for("After");
    screen.wait_for("that.");
    let bytes = String::from_utf8_lossy(&screen.bytes).into_owned();
    for forbidden in ["\x1b]0;", "\x1b[2J", "\x1b]52"] {
        assert!(!bytes.contains(forbidden), "{forbidden:?} was sent");
    }
    let all = screen.all().join("\n");
    assert!(all.contains("Before.") && all.contains("moved"), "{all}");
}

#[test]
fn a_terminal_of_one_cell_and_one_of_500_columns_work() {
    let place = place(&json!(["Hello."]));
    for (rows, columns) in [(1, 1), (2, 5), (3, 500)] {
        let mut screen =
            super::Screen::start(&place, &["--model", &super::model(&place), "--no-session"], rows, columns);
        screen.listen(Duration::from_millis(300));
        screen.keys("hi\r");
        screen.listen(Duration::from_millis(300));
        screen.resize(24, 80);
        screen.wait_for("script/script");
        screen.keys("\x04");
        assert_eq!(screen.finish().1, 0);
    }
}
