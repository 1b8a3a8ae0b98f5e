//! Conversion of untrusted Markdown to HTML.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html::push_html};

use super::plain::plain;

/// Escapes the five special characters of HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            char => out.push(char),
        }
    }
    out
}

/// Converts Markdown to HTML. HTML tags are escaped; links are restricted to known schemes; external images become
/// links, because loading one would reveal that the page is being read.
pub(super) fn prose(text: &str) -> String {
    let text = plain(text);
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut in_diff = false;
    let events = Parser::new_ext(&text, options).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: safe(dest_url), title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: safe(dest_url), title, id })
        }
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        Event::Start(Tag::CodeBlock(kind)) => {
            in_diff =
                matches!(&kind, CodeBlockKind::Fenced(language) if matches!(&**language, "diff" | "patch"));
            Event::Start(Tag::CodeBlock(kind))
        }
        Event::Text(text) if in_diff => Event::Html(diff_lines(&text).into()),
        Event::End(TagEnd::CodeBlock) => {
            in_diff = false;
            Event::End(TagEnd::CodeBlock)
        }
        event => event,
    });
    let mut html = String::new();
    push_html(&mut html, events);
    html
}

/// Returns the text of Markdown on one line, without markup.
pub(super) fn words(text: &str) -> String {
    let text = plain(text);
    let mut out = String::new();
    for event in Parser::new(&text) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                out.push_str(&text)
            }
            // These end within a line.
            Event::End(TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link | TagEnd::Strikethrough) => {}
            Event::SoftBreak | Event::HardBreak | Event::End(_) => out.push(' '),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn safe(url: CowStr<'_>) -> CowStr<'_> {
    let lower = url.trim().to_ascii_lowercase();
    let fine = ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    if fine { url } else { CowStr::Borrowed("#") }
}

/// Converts a diff with marked lines.
pub(super) fn diff_lines(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let class = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "meta",
            [b'd', b'i', b'f', b'f', b' ', ..] | [b'i', b'n', b'd', b'e', b'x', b' ', ..] => "meta",
            [b'@', b'@', ..] => "hunk",
            [b'+', ..] => "added",
            [b'-', ..] => "removed",
            _ => "same",
        };
        out.push_str(&format!("<span class=\"{class}\">{}\n</span>", escaped(line)));
    }
    out
}
