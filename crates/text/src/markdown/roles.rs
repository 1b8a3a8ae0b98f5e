//! Rows described by role, for components that bring their own theme: JSON that the component paints.

use serde_json::{Map, Value, json};

use super::layout::{MarkdownOptions, markdown_rows};
use crate::{
    highlight::{highlight, is_warm},
    row::{Row, Span},
    style::{Attributes, Color, Style},
    theme::{Theme, Token},
};

/// Draws a text at a width. Returns an array of rows; a row is an array of `{text, role?, bold?, italic?, strike?, link?}`,
/// where `role` is the theme colour that a message would be drawn with. Code is not highlighted or wrapped.
pub fn markdown_json(text: &str, columns: usize) -> String {
    let options = MarkdownOptions { text: Style::PLAIN, highlights: false, wraps_code: false };
    let rows = markdown_rows(text, columns, &Theme::roles(), options);
    Value::Array(rows.iter().map(row_json).collect()).to_string()
}

/// Highlights code. Returns rows as [`markdown_json`] does. While the grammars are being loaded the rows are plain, because a
/// renderer that waited for them would miss its deadline.
pub fn highlight_json(code: &str, language: &str) -> String {
    let theme = Theme::roles();
    let rows = if is_warm() {
        highlight(code, language, &theme)
    } else {
        Row::lines(code, theme.style(Token::MdCodeBlock))
    };
    Value::Array(rows.iter().map(row_json).collect()).to_string()
}

fn row_json(row: &Row) -> Value {
    Value::Array(row.spans().iter().map(span_json).collect())
}

fn span_json(span: &Span) -> Value {
    let mut object = Map::new();
    object.insert("text".to_owned(), span.text().into());
    if let Color::Indexed(index) = span.style.fg
        && let Some(token) = Token::ALL.get(usize::from(index))
    {
        object.insert("role".to_owned(), token.name().into());
    }
    for (name, attribute) in [
        ("bold", Attributes::BOLD),
        ("italic", Attributes::ITALIC),
        ("strike", Attributes::STRIKE),
        ("underline", Attributes::UNDERLINE),
    ] {
        if span.style.attributes.has(attribute) {
            object.insert(name.to_owned(), true.into());
        }
    }
    if let Some(link) = &span.link {
        object.insert("link".to_owned(), json!(&**link));
    }
    Value::Object(object)
}
