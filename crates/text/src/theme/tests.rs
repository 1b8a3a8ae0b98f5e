//! Built-in themes and theme files.

use super::*;

#[test]
fn built_in_themes_have_every_role() {
    assert_eq!(Token::COUNT, 67);
    for name in Theme::built_in_names() {
        let theme = Theme::built_in(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(theme.name(), *name);
        assert_eq!(
            theme.has_color(),
            *name != "none",
            "{name}: an embedded file that is not valid becomes none"
        );
    }
    assert_eq!(Theme::light().appearance(), Appearance::Light);
    assert!(Theme::built_in("x").is_none());
}

#[test]
fn a_file_refers_to_vars_indices_and_the_terminals_own_colour() {
    let text = r##"{"$schema": "x", "name": "mine", "vars": {"a": "b", "b": "#102030", "c": 12},
        "colors": {"accent": "a", "error": "c", "text": "", "warning": 200, "dim": "#abc", "notARole": "#000000"}}"##;
    let theme = Theme::parse(text).unwrap();
    assert_eq!(theme.color(Token::Accent), Color::Rgb(16, 32, 48));
    assert_eq!(theme.color(Token::Error), Color::Indexed(12));
    assert_eq!(theme.color(Token::Text), Color::Default);
    assert_eq!(theme.color(Token::Warning), Color::Indexed(200));
    assert_eq!(theme.color(Token::Dim), Color::Rgb(0xaa, 0xbb, 0xcc));
    assert_eq!(theme.color(Token::Success), Theme::dark().color(Token::Success), "missing roles are filled");
}

#[test]
fn a_file_that_cannot_be_used_is_refused_with_the_entry() {
    for (text, expected) in [
        (r#"{"name": "x", "colors": {"accent": "nope"}}"#, "`accent`: \"nope\" is not a colour"),
        (r#"{"name": "x", "vars": {"a": "b", "b": "a"}, "colors": {"accent": "a"}}"#, "circle"),
        (r#"{"name": "x", "colors": {"accent": 300}}"#, "not a theme file"),
        (r#"{"colors": {}}"#, "not a theme file"),
        (r##"{"name": "x", "colors": {"accent": "#+12345"}}"##, "is not a colour"),
        ("[", "not a theme file"),
    ] {
        let error = Theme::parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn the_palette_for_tools_has_parameters_by_role() {
    let palette = Theme::dark().palette(ColorDepth::Ansi256);
    assert!(palette["colours"]["accent"].as_str().is_some_and(|text| text.starts_with("38;5;")));
    assert!(palette["backgrounds"]["toolErrorBg"].as_str().is_some_and(|text| text.starts_with("48;5;")));
    assert_eq!(Theme::dark().palette(ColorDepth::Ansi16)["backgrounds"]["toolErrorBg"], "49");
    assert_eq!(Theme::none().palette(ColorDepth::TrueColor)["colours"]["accent"], "39");
}
