//! What of a screen is in the picture.

use super::picture::draw;

fn picture(bytes: &str) -> String {
    let mut screen = vt100::Parser::new(10.try_into().unwrap(), 40.try_into().unwrap(), 0);
    screen.process(bytes.as_bytes());
    draw(screen.screen(), "a <title>").unwrap()
}

#[test]
fn text_keeps_its_place_and_its_style() {
    let svg = picture("plain \x1b[1;32mgood\x1b[m  \x1b[2mdim\x1b[m\r\n\r\n  <third> & last");
    assert!(svg.contains("a &lt;title&gt;"), "{svg}");
    assert!(svg.contains("fill=\"#7bc275\" font-weight=\"bold\">good</text>"), "{svg}");
    assert!(svg.contains("opacity=\"0.6\">dim</text>"), "{svg}");
    assert!(svg.contains("x=\"31.6\"") && svg.contains(">&lt;third&gt; &amp; last</text>"), "{svg}");
    assert_eq!(svg.matches("<text ").count(), 4);
    // Three rows of ten are used.
    assert!(svg.contains("viewBox=\"0 0 344 113\""), "{svg}");
}

#[test]
fn what_was_drawn_over_is_gone_and_colours_of_all_kinds_are_known() {
    let svg = picture(
        "first\r\x1b[K\x1b[38;5;196mcube\x1b[38;5;255mgrey\x1b[38;2;1;2;3mown\x1b[m\x1b[7minverse\x1b[m",
    );
    assert!(!svg.contains("first"), "{svg}");
    for part in ["#ff0000\">cube", "#eeeeee\">grey", "#010203\">own", "#16181d\">inverse"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn wide_characters_take_two_columns() {
    let svg = picture("日本x");
    assert!(svg.contains("textLength=\"39.0\""), "{svg}");
}
