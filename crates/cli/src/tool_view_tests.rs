//! The theme of a plain terminal.

use super::*;

#[test]
fn a_light_background_is_recognised() {
    for (colours, expected) in [
        (None, Appearance::Dark),
        (Some("15;0"), Appearance::Dark),
        (Some("0;15"), Appearance::Light),
        (Some("0;default;7"), Appearance::Light),
        (Some("nonsense"), Appearance::Dark),
    ] {
        assert_eq!(appearance(colours), expected, "{colours:?}");
    }
}
