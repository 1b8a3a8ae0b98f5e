//! Tables and charts of `stats`.

use super::bar;

#[test]
fn a_bar_is_as_long_as_its_share() {
    assert_eq!(bar(100, 100), "█".repeat(12));
    assert_eq!(bar(50, 100), "█".repeat(6));
    assert_eq!(bar(1, u64::MAX), "▏");
    assert_eq!(bar(u64::MAX, u64::MAX), "█".repeat(12));
    assert_eq!((bar(0, 5).as_str(), bar(0, 0).as_str()), ("", ""));
}
