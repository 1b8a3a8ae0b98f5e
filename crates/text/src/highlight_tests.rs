//! Code with colours.

use super::*;
use crate::style::Style;

fn style_at(rows: &[Row], text: &str) -> Option<Style> {
    rows.iter().flat_map(Row::spans).find(|span| span.text().contains(text)).map(|span| span.style)
}

#[test]
fn code_has_the_colours_of_the_theme() {
    let theme = Theme::dark();
    let rows = highlight("// note\nfn main() { let x = \"s\"; call(42) }", "rust", &theme);
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1].text(), "fn main() { let x = \"s\"; call(42) }");
    for (text, token) in [
        ("note", Token::SyntaxComment),
        ("fn", Token::SyntaxKeyword),
        ("main", Token::SyntaxFunction),
        ("s", Token::SyntaxString),
        ("42", Token::SyntaxNumber),
    ] {
        let found = rows
            .iter()
            .flat_map(Row::spans)
            .any(|span| span.text().trim().contains(text) && span.style == theme.style(token));
        assert!(found, "{text} as {token:?}: {rows:#?}");
    }
}

#[test]
fn unknown_languages_and_large_code_stay_plain() {
    let theme = Theme::dark();
    assert_eq!(
        style_at(&highlight("let x", "nonsense-language", &theme), "let"),
        Some(theme.style(Token::MdCodeBlock))
    );
    let large = "let x = 1;\n".repeat(20_000);
    assert_eq!(style_at(&highlight(&large, "rust", &theme), "let"), Some(theme.style(Token::MdCodeBlock)));
    assert_eq!(style_at(&highlight("let x", "rust", &Theme::none()), "let"), Some(Style::PLAIN));
    assert_eq!(highlight("", "rust", &theme).len(), 1);
}

#[test]
fn typescript_and_common_names_are_known() {
    for language in [
        "ts",
        "tsx",
        "typescript",
        "js",
        "py",
        "python",
        "sh",
        "console",
        "json",
        "jsonc",
        "toml",
        "yaml",
        "go",
        "diff",
        "rs",
    ] {
        assert!(syntax_of(language).is_some(), "{language}");
    }
    assert_eq!(language_of_path("src/a.b/x.rs"), "rs");
    assert_eq!(language_of_path("Makefile"), "Makefile");
}
