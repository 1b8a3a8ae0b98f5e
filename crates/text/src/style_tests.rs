//! Colours on terminals that have fewer of them.

use super::*;

#[test]
fn a_colour_is_reduced_to_its_nearest() {
    let cases = [
        (Color::Rgb(255, 0, 0), ColorDepth::Ansi256, Color::Indexed(196)),
        (Color::Rgb(128, 128, 128), ColorDepth::Ansi256, Color::Indexed(244)),
        (Color::Rgb(204, 102, 102), ColorDepth::Ansi16, Color::Indexed(1)),
        (Color::Rgb(120, 200, 120), ColorDepth::Ansi16, Color::Indexed(2)),
        (Color::Rgb(138, 190, 183), ColorDepth::Ansi16, Color::Indexed(6)),
        (Color::Rgb(128, 128, 128), ColorDepth::Ansi16, Color::Indexed(8)),
        (Color::Indexed(196), ColorDepth::Ansi16, Color::Indexed(9)),
        (Color::Indexed(3), ColorDepth::Ansi16, Color::Indexed(3)),
        (Color::Rgb(1, 2, 3), ColorDepth::None, Color::Default),
    ];
    for (color, depth, expected) in cases {
        assert_eq!(reduce(color, depth), expected, "{color:?} {depth:?}");
    }
}

#[test]
fn a_sequence_sets_everything_and_nothing_else() {
    let style = Style::PLAIN.fg(Color::Indexed(9)).bg(Color::Rgb(1, 2, 3)).bold().italic();
    assert_eq!(style.sequence(ColorDepth::TrueColor), "\x1b[0;1;3;91;48;2;1;2;3m");
    assert_eq!(style.sequence(ColorDepth::Ansi16), "\x1b[0;1;3;91m", "subtle backgrounds need more colours");
    assert_eq!(style.sequence(ColorDepth::None), "\x1b[0;1;3m");
    assert_eq!(Style::PLAIN.sequence(ColorDepth::TrueColor), "\x1b[0m");
}
