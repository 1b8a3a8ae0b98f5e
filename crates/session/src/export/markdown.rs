//! Export of a transcript as Markdown.

use std::fmt::Write as _;

use toolsmith_llm::ContentBlock;
use toolsmith_tool::visible_line;

use super::{
    plain::{image_url, is_diff, plain},
    transcript::{Item, Outcome, Piece, Transcript, What},
};

pub(super) fn render(transcript: &Transcript) -> String {
    let mut out = String::new();
    let usage = &transcript.usage;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# {}\n", one_line(&transcript.title));
    let _ = writeln!(out, "- Session: {}", code(&transcript.id));
    let _ = writeln!(out, "- Folder: {}", code(&transcript.cwd));
    let _ = writeln!(out, "- Begun: {} UTC", transcript.begun);
    if usage.total_tokens > 0 {
        let _ = writeln!(out, "- Tokens: {}, ${:.4}", usage.total_tokens, usage.cost.total);
    }
    for item in &transcript.items {
        out.push('\n');
        write_item(&mut out, item);
    }
    out
}

fn write_item(out: &mut String, item: &Item) {
    let label = item.label.as_ref().map(|label| format!(" · {}", one_line(label))).unwrap_or_default();
    let heading = |who: &str| format!("## {} · {}{label}\n\n", one_line(who), item.time);
    match &item.what {
        What::User(content) => {
            out.push_str(&heading("You"));
            write_content(out, content);
        }
        What::Aside { from, content } => {
            out.push_str(&heading(from));
            write_content(out, content);
        }
        What::Assistant { model, pieces, trouble } => {
            out.push_str(&heading(if model.is_empty() { "Model" } else { model }));
            pieces.iter().for_each(|piece| write_piece(out, piece));
            if let Some(trouble) = trouble {
                let _ = writeln!(out, "**{}**\n", one_line(trouble));
            }
        }
        What::Result(outcome) => write_outcome(out, outcome),
        What::Note(note) => {
            let _ = writeln!(out, "*{}*", one_line(note));
        }
        What::Summary { title, text } => {
            let _ = writeln!(out, "## {title}\n\n{}", plain(text).trim());
        }
    }
}

fn write_content(out: &mut String, content: &[ContentBlock]) {
    for block in content {
        match block {
            ContentBlock::Text { text } => {
                let _ = writeln!(out, "{}\n", plain(text).trim_end());
            }
            ContentBlock::Image { data, mime_type } => {
                let _ = match image_url(data, mime_type) {
                    Some(url) => writeln!(out, "![image]({url})\n"),
                    None => writeln!(out, "*This image cannot be displayed.*\n"),
                };
            }
            _ => {}
        }
    }
}

fn write_piece(out: &mut String, piece: &Piece) {
    match piece {
        Piece::Text(text) => {
            let _ = writeln!(out, "{}\n", plain(text).trim());
        }
        Piece::Thinking(text) => {
            let quoted =
                plain(text).trim().lines().fold(String::new(), |quoted, line| quoted + "> " + line + "\n");
            let _ = writeln!(out, "<details><summary>Thinking</summary>\n\n{quoted}\n</details>\n");
        }
        Piece::Call { name, arguments, outcome } => {
            let _ = writeln!(out, "**{}**\n", one_line(name));
            if arguments.as_object().is_none_or(|fields| !fields.is_empty()) {
                let json = serde_json::to_string_pretty(arguments).unwrap_or_default();
                out.push_str(&fenced(&plain(&json), "json"));
            }
            match outcome {
                Some(outcome) => write_outcome(out, outcome),
                None => out.push_str("*No result.*\n\n"),
            }
        }
    }
}

fn write_outcome(out: &mut String, outcome: &Outcome) {
    let what = if outcome.is_error { "Error" } else { "Result" };
    let _ = writeln!(out, "<details><summary>{what} of {}</summary>\n", one_line(&outcome.tool));
    if let Some(diff) = &outcome.diff {
        out.push_str(&fenced(&plain(diff), "diff"));
    }
    for block in &outcome.content {
        match block {
            ContentBlock::Text { text } => {
                let text = plain(text);
                out.push_str(&fenced(&text, if is_diff(&text) { "diff" } else { "" }));
            }
            image => write_content(out, std::slice::from_ref(image)),
        }
    }
    out.push_str("</details>\n\n");
}

/// Writes a code block with a fence that its content cannot close.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n\n", text.trim_end())
}

/// Returns a name as code on one line, between more backticks than it contains.
fn code(name: &str) -> String {
    let name = visible_line(name);
    let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let (fence, space) = ("`".repeat(longest + 1), if longest > 0 { " " } else { "" });
    format!("{fence}{space}{name}{space}{fence}")
}

/// Escapes text that must stay on one line.
fn one_line(text: &str) -> String {
    let text = plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = visible_line(&text);
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#') {
            out.push('\\');
        }
        out.push(char);
    }
    out
}
