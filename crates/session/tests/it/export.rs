//! Exports: complete, harmless, and compared with snapshots.

use std::path::Path;

use serde_json::json;
use tempfile::TempDir;
use toolsmith_llm::{ContentBlock, Message, ToolResultMessage};
use toolsmith_session::{Compaction, CustomMessage, EntryKind, SessionLog, Sessions};

fn demo() -> SessionLog {
    let home = TempDir::new().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/demo.jsonl");
    Sessions::at(home.path()).read(&file).unwrap()
}

#[test]
fn a_session_as_markdown() {
    insta::assert_snapshot!("demo.md", demo().to_markdown());
}

#[test]
fn a_session_as_a_page() {
    let html = demo().to_html();
    // The looks may change without anybody having to read them twice.
    let (before, rest) = html.split_once("<style>").unwrap();
    let (_, after) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!("demo.html", format!("{before}<style></style>{after}"));
}

/// Everything that loads, runs or leaves the page, by its tag or attribute.
fn tags(html: &str) -> Vec<String> {
    html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn nothing_said_in_a_session_becomes_part_of_the_page() {
    let hostile = [
        "<script>alert(1)</script>",
        "</style></title></pre></details><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](data:text/html,x) [w](vbscript:x) <javascript:alert(1)>",
        "![x](https://example.org/pixel.png) ![y](javascript:alert(1)) <img src=https://example.org/a.png>",
        "<iframe src=//example.org></iframe><link rel=stylesheet href=//example.org/x.css>",
        "```diff\n+<script>alert(1)</script>\n```",
        "```\"><script>alert(1)</script>\ncode\n```",
        "| a |\n|---|\n| <script>alert(1)</script> |",
        "&lt;script&gt; &#60;script&#62; \u{0}\u{1b}]0;title\u{7}\u{202e}",
        "--- a\n+++ b\n@@ 1 @@\n+<script>alert(1)</script>",
    ];
    let session = SessionLog::in_memory("/x/<script>alert(1)</script>\"'");
    for text in hostile {
        let call = json!({ "role": "assistant", "model": text, "errorMessage": text, "stopReason": "error", "content": [
            { "type": "text", "text": text }, { "type": "thinking", "thinking": text },
            { "type": "toolCall", "id": text, "name": text, "arguments": { "command": text, text: [text] } } ] });
        let image = |data: &str, kind: &str| -> ContentBlock {
            serde_json::from_value(json!({ "type": "image", "data": data, "mimeType": kind })).unwrap()
        };
        let content = vec![
            ContentBlock::text(text),
            image(text, "image/png"),
            image("aGk=", text),
            image("aGk=", "image/png\" onload=\"x"),
        ];
        let id = session.append_message(Message::user(text)).unwrap();
        session.set_label(&id, Some(text)).unwrap();
        session.append_message(serde_json::from_value(call).unwrap()).unwrap();
        let mut result = ToolResultMessage::new(text, text, content.clone());
        result.details = Some(json!({ "diff": text }));
        session.append_message(Message::ToolResult(result)).unwrap();
        session
            .append_message(Message::ToolResult(ToolResultMessage::new("lost", text, content.clone())))
            .unwrap();
        for kind in [
            EntryKind::CustomMessage(CustomMessage {
                custom_type: text.to_owned(),
                content,
                display: true,
                ..Default::default()
            }),
            EntryKind::Compaction(Compaction { summary: text.to_owned(), ..Default::default() }),
            EntryKind::ModelChange { model: text.to_owned(), role: None },
            EntryKind::Title { title: text.to_owned() },
        ] {
            session.append(kind).unwrap();
        }
    }
    let html = session.to_html();
    let tags = tags(&html);
    assert_eq!(tags.iter().filter(|tag| tag.starts_with("script")).count(), 1, "only our own");
    for tag in &tags {
        let lower = tag.to_ascii_lowercase();
        assert!(
            !["iframe", "link", "object", "embed", "form", "base"].iter().any(|name| lower.starts_with(name)),
            "{tag}"
        );
        // Attributes are between quotes that no text can close.
        let mut outside = lower.split('"').step_by(2);
        assert!(outside.all(|part| !part.contains(" on") && !part.contains('\'')), "{tag}");
        if lower.starts_with("img") {
            assert!(lower.contains("src=\"data:image/"), "{tag}");
        } else {
            assert!(!lower.contains("src="), "{tag}");
        }
        if let Some((_, target)) = lower.split_once("href=\"") {
            assert!(
                ["#", "http://", "https://", "mailto:"].iter().any(|fine| target.starts_with(fine)),
                "{tag}"
            );
        }
    }
    assert!(!html.contains(['\u{1b}', '\u{202e}', '\u{0}']));
    // Markdown is text for another renderer, or for a terminal.
    let markdown = session.to_markdown();
    assert!(markdown.contains("alert(1)") && !markdown.contains(['\u{1b}', '\u{202e}', '\u{0}']));
}

#[test]
fn strange_sessions_export_too() {
    let empty = SessionLog::in_memory("");
    assert!(empty.to_html().contains("<h1>A session</h1>"));
    assert!(empty.to_markdown().starts_with("# A session"));
    let deep = SessionLog::in_memory("/x");
    deep.append_message(Message::user("> ".repeat(20_000) + "deep")).unwrap();
    deep.append_message(Message::user(
        "- ".repeat(5000) + "[".repeat(5000).as_str() + "*_".repeat(5000).as_str(),
    ))
    .unwrap();
    deep.append_message(Message::user("`".repeat(50) + " fences")).unwrap();
    assert!(deep.to_html().contains("deep") && deep.to_markdown().contains("fences"));
}

#[test]
fn c9_1_a_directory_name_stays_on_its_line_of_the_transcript() {
    let cwd = Path::new("/repo`\nerror: run this\u{2028}\u{e0041}\u{202e}x");
    let text = SessionLog::in_memory(cwd).to_markdown();
    assert!(
        text.contains("- Folder: `` /repo`\\nerror: run this\\u{2028}\\u{e0041}\\u{202e}x ``\n"),
        "{text}"
    );
}
