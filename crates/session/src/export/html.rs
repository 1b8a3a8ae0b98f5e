//! Export of a transcript as one HTML page.

use std::fmt::Write as _;
use toolsmith_host::changes::content_hash;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use toolsmith_llm::ContentBlock;

use super::{
    plain::{image_url, is_diff, plain},
    prose::{diff_lines, escaped, prose, words},
    transcript::{Item, Outcome, Piece, Transcript, What, shorten},
};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Output with at most this many lines is shown expanded.
const SHORT_OUTPUT: usize = 8;

pub(super) fn render(transcript: &Transcript) -> String {
    let title = escaped(&plain(&transcript.title));
    // Allows only this script and these styles, and nothing external, so that injected content would not run.
    let script_hash = STANDARD.encode(content_hash(SCRIPT.as_bytes()).as_bytes());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         img-src data:; script-src 'sha256-{script_hash}'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    write_contents(&mut out, transcript, &title);
    write_main(&mut out, transcript, &title);
    let _ = write!(out, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// Writes the list of user messages, for navigation.
fn write_contents(out: &mut String, transcript: &Transcript, title: &str) {
    let _ = write!(out, "<nav aria-label=\"Contents\"><a class=\"top\" href=\"#top\">{title}</a>\n<ol>\n");
    for item in &transcript.items {
        let text = match &item.what {
            What::User(content) => {
                content.iter().find_map(ContentBlock::as_text).unwrap_or("An image").to_owned()
            }
            What::Summary { title, .. } => (*title).to_owned(),
            _ => continue,
        };
        let class = if matches!(item.what, What::User(_)) { "" } else { " class=\"mark\"" };
        let _ = writeln!(
            out,
            "<li{class}><a href=\"#e-{}\">{}</a></li>",
            escaped(&item.id),
            escaped(&shorten(&words(&text), 60))
        );
    }
    out.push_str("</ol></nav>\n");
}

fn write_main(out: &mut String, transcript: &Transcript, title: &str) {
    let _ = write!(
        out,
        "<main id=\"top\">\n<header>\n<h1>{title}</h1>\n<p class=\"facts\"><span>{} UTC</span><span><code>{}</code></span>",
        escaped(&transcript.begun),
        escaped(&transcript.cwd)
    );
    let usage = &transcript.usage;
    if usage.total_tokens > 0 {
        let _ = write!(out, "<span>{} tokens</span>", grouped(usage.total_tokens));
    }
    if usage.cost.total > 0.0 {
        let _ = write!(out, "<span>${:.2}</span>", usage.cost.total);
    }
    out.push_str("<button id=\"expand\" hidden>Expand all</button></p>\n</header>\n");
    for item in &transcript.items {
        write_item(out, item);
    }
    let _ = write!(out, "<footer>Session <code>{}</code></footer>\n</main>\n", escaped(&transcript.id));
}

fn write_item(out: &mut String, item: &Item) {
    let id = escaped(&item.id);
    let label =
        item.label.as_ref().map(|label| format!("<span class=\"label\">{}</span>", escaped(&plain(label))));
    let head = |who: &str| {
        let (who, label) = (escaped(&plain(who)), label.as_deref().unwrap_or_default());
        format!("<h2><a href=\"#e-{id}\">{who}</a>{label}<time>{}</time></h2>\n", item.time)
    };
    let mut section = |class: &str, body: String| {
        let _ = write!(out, "<section class=\"{class}\" id=\"e-{id}\">\n{body}</section>\n");
    };
    match &item.what {
        What::User(content) => section("user", head("You") + &said(content)),
        What::Aside { from, content } => section("aside", head(from) + &said(content)),
        What::Assistant { model, pieces, trouble } => {
            let mut body = head(if model.is_empty() { "Model" } else { model });
            pieces.iter().for_each(|piece| body.push_str(&self::piece(piece)));
            if let Some(trouble) = trouble {
                let _ = writeln!(body, "<p class=\"trouble\">{}</p>", escaped(&plain(trouble)));
            }
            section("model", body);
        }
        What::Result(outcome) => section("model", call(&outcome.tool, &Value::Null, Some(outcome))),
        What::Note(note) => section("note", format!("<p>{}</p>\n", escaped(&plain(note)))),
        What::Summary { title, text } => {
            section("summary", format!("<details><summary>{title}</summary>\n{}</details>\n", prose(text)));
        }
    }
}

fn said(content: &[ContentBlock]) -> String {
    content.iter().fold(String::new(), |html, block| {
        html + &match block {
            ContentBlock::Text { text } => prose(text),
            image => picture(image),
        }
    })
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Text(text) => prose(text),
        Piece::Thinking(text) => {
            format!("<details class=\"thinking\"><summary>Thinking</summary>\n{}</details>\n", prose(text))
        }
        Piece::Call { name, arguments, outcome } => call(name, arguments, outcome.as_ref()),
    }
}

/// Writes a call as one line that expands to its arguments and its result.
fn call(name: &str, arguments: &Value, outcome: Option<&Outcome>) -> String {
    let (state, mark) = match outcome {
        Some(outcome) if outcome.is_error => ("failed", "failed"),
        Some(_) => ("done", ""),
        None => ("unknown", "no result"),
    };
    let mut html = format!(
        "<details class=\"call {state}\"{}><summary><b>{}</b> <span class=\"gist\">{}</span><i>{mark}</i></summary>\n",
        if opens(outcome) { " open" } else { "" },
        escaped(&plain(name)),
        escaped(&gist(arguments)),
    );
    let list = argument_list(arguments);
    match outcome {
        // The diff is more useful.
        Some(Outcome { diff: Some(_), .. }) if !list.is_empty() => {
            let _ =
                writeln!(html, "<details class=\"arguments\"><summary>Arguments</summary>\n{list}</details>");
        }
        _ => html.push_str(&list),
    }
    if let Some(outcome) = outcome {
        html.push_str("<div class=\"result\">\n");
        if let Some(diff) = &outcome.diff {
            let _ = writeln!(html, "<pre class=\"diff\">{}</pre>", diff_lines(&plain(diff)));
        }
        for block in &outcome.content {
            match block {
                ContentBlock::Text { text } if text.trim().is_empty() => {}
                ContentBlock::Text { text } => html.push_str(&output(text)),
                image => html.push_str(&picture(image)),
            }
        }
        html.push_str("</div>\n");
    }
    html + "</details>\n"
}

/// Writes the arguments of a call, unless its line contains them all.
fn argument_list(arguments: &Value) -> String {
    let Value::Object(fields) = arguments else {
        return String::new();
    };
    let only = fields.values().next().filter(|_| fields.len() == 1);
    if fields.is_empty() || only.is_some_and(|value| value.as_str() == Some(&gist(arguments))) {
        return String::new();
    }
    let rows = fields.iter().fold(String::new(), |rows, (name, value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            value => serde_json::to_string_pretty(value).unwrap_or_default(),
        };
        rows + &format!("<dt>{}</dt><dd>{}</dd>\n", escaped(&plain(name)), output(&text).trim_end())
    });
    format!("<dl>\n{rows}</dl>\n")
}

/// Errors, images, diffs and short results are shown expanded.
fn opens(outcome: Option<&Outcome>) -> bool {
    let Some(outcome) = outcome else {
        return false;
    };
    let lines: usize =
        outcome.content.iter().filter_map(ContentBlock::as_text).map(|text| text.lines().count()).sum();
    let has_picture = outcome.content.iter().any(|block| block.as_text().is_none());
    outcome.is_error || has_picture || outcome.diff.is_some() || lines <= SHORT_OUTPUT
}

fn output(text: &str) -> String {
    let text = plain(text);
    if is_diff(&text) {
        return format!("<pre class=\"diff\">{}</pre>\n", diff_lines(&text));
    }
    format!("<pre>{}</pre>\n", escaped(text.trim_end()))
}

/// Summarises a call in one line.
fn gist(arguments: &Value) -> String {
    let Value::Object(fields) = arguments else {
        return String::new();
    };
    let telling = ["command", "pattern", "query", "url", "path", "file_path", "prompt"];
    let told = telling.iter().find_map(|name| fields.get(*name).and_then(Value::as_str));
    let text = match told {
        Some(text) => text.to_owned(),
        None if fields.is_empty() => String::new(),
        None => arguments.to_string(),
    };
    shorten(&plain(&text).split_whitespace().collect::<Vec<_>>().join(" "), 100)
}

fn picture(block: &ContentBlock) -> String {
    let ContentBlock::Image { data, mime_type } = block else {
        return String::new();
    };
    match image_url(data, mime_type) {
        Some(url) => format!("<p><img alt=\"Image from the session\" src=\"{url}\"></p>\n"),
        None => "<p class=\"trouble\">This image cannot be displayed.</p>\n".to_owned(),
    }
}

/// Groups digits in threes.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}
