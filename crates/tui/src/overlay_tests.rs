//! Places of overlays.

use serde_json::json;

use super::*;

fn area(options: serde_json::Value, drawn: usize) -> (usize, usize, usize, usize) {
    let options: OverlayOptions = serde_json::from_value(options).unwrap();
    let Area { column, row, columns, rows } = overlay_area(&options, drawn, 100, 40);
    (column, row, columns, rows)
}

#[test]
fn overlays_are_placed_by_anchor_offset_and_margin() {
    assert_eq!(area(json!({ "width": 40 }), 10), (30, 15, 40, 10));
    assert_eq!(area(json!({ "width": "50%", "anchor": "bottom-right", "margin": 2 }), 10), (48, 28, 50, 10));
    assert_eq!(
        area(json!({ "width": 20, "anchor": "top-left", "offsetX": 3, "offsetY": 4 }), 5),
        (3, 4, 20, 5)
    );
    assert_eq!(area(json!({ "width": 20, "row": 7, "col": "100%" }), 5), (80, 7, 20, 5));
    assert_eq!(area(json!({ "width": 20, "maxHeight": "25%" }), 30), (40, 15, 20, 10));
    assert_eq!(area(json!({ "fullscreen": true, "margin": 1 }), 3), (1, 1, 98, 38));
    assert_eq!(area(json!({ "width": 10, "minWidth": 60 }), 3).2, 60);
}

#[test]
fn overlays_stay_on_the_screen() {
    assert_eq!(area(json!({ "width": 900, "offsetX": 500, "offsetY": -500 }), 900), (0, 0, 100, 40));
    assert_eq!(area(json!({ "margin": 500 }), 10).2, 1);
    let tiny = overlay_area(&OverlayOptions::default(), 10, 1, 1);
    assert_eq!(tiny, Area { column: 0, row: 0, columns: 1, rows: 1 });
    assert_eq!(overlay_area(&OverlayOptions::default(), 0, 0, 0).columns, 1);
}

#[test]
fn an_overlay_covers_its_columns_and_nothing_else() {
    let area = Area { column: 2, row: 0, columns: 4, rows: 1 };
    let row = |text: &str, over: &str| {
        covered(toolsmith_text::Row::plain(text), toolsmith_text::Row::plain(over), area).text()
    };
    assert_eq!(row("abcdefghij", "1234"), "ab1234ghij");
    assert_eq!(row("abcdefghij", "1"), "ab1   ghij");
    assert_eq!(row("a", "123456"), "a 1234");
    // A wide character that is half covered leaves no half.
    assert_eq!(row("a漢b漢字", "1234"), "a 1234字");
    assert_eq!(row("ab漢c漢字", "1234"), "ab1234 字");
}
