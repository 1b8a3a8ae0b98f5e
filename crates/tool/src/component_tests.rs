//! Options of overlays as tools write them.

use serde_json::json;

use super::*;

#[test]
fn overlay_options_are_read_as_tools_write_them() {
    let options: OverlayOptions = serde_json::from_value(json!({
        "width": "50%", "minWidth": 20, "maxHeight": 10, "anchor": "top-right", "offsetX": -2, "margin": 1, "unknown": true
    }))
    .unwrap();
    assert_eq!(options.width, Some(Length::Percent(50.0)));
    assert_eq!(options.max_height, Some(Length::Cells(10)));
    assert_eq!((options.anchor, options.offset_x, options.margin.left), (Anchor::TopRight, -2, 1));
    let margin: OverlayOptions = serde_json::from_value(json!({ "margin": { "top": 2 } })).unwrap();
    assert_eq!(margin.margin, Margin { top: 2, ..Margin::default() });
}

#[test]
fn lengths_are_bounded_by_the_screen() {
    for (json, whole, cells) in [
        (json!(7), 80, 7),
        (json!("50%"), 81, 40),
        (json!("900%"), 80, 80),
        (json!(-4), 80, 0),
        (json!(1e300), 80, 10_000),
    ] {
        let length: Length = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(length.cells(whole), cells, "{json}");
    }
    assert!(serde_json::from_value::<Length>(json!("wide")).is_err());
}

#[test]
fn ids_are_never_reused() {
    assert_ne!(ComponentId::new(), ComponentId::new());
}
