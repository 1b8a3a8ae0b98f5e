//! The forms in which a secret is written, and secrets inside of longer texts in base64.

use std::ops::Range;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD},
};
use serde_json::Value;

use super::redact::{MIN_SECRET, REDACTED};

/// Replaces secrets inside of longer texts in base64, such as `user:password` of a header, also over several lines.
pub(super) fn hide_in_base64(text: &mut String, secrets: &[String]) {
    if secrets.is_empty() {
        return;
    }
    let mut changed = String::new();
    let mut done = 0;
    for block in blocks(text) {
        let Some(hidden) = hidden_block(&text[block.clone()], secrets) else { continue };
        changed.push_str(&text[done..block.start]);
        changed.push_str(&hidden);
        done = block.end;
    }
    if done > 0 {
        changed.push_str(&text[done..]);
        *text = changed;
    }
}

/// Finds what may be base64: digits, and lines of them that have one length, the last one excepted.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        match (is_digit(byte), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                runs.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    let mut blocks: Vec<Range<usize>> = Vec::new();
    // Length of the lines of the last block.
    let mut width = 0;
    for run in runs {
        let is_next_line = |block: &Range<usize>| matches!(&text[block.end..run.start], "\n" | "\r\n");
        match blocks.last_mut() {
            Some(block)
                if is_next_line(block)
                    && run.len() <= width
                    && text[..block.end].len() - line_start(text, block) == width =>
            {
                block.end = run.end;
            }
            _ => {
                width = run.len();
                blocks.push(run);
            }
        }
    }
    blocks.retain(|block| block.len() > MIN_SECRET);
    blocks
}

/// Returns where the last line of a block begins.
fn line_start(text: &str, block: &Range<usize>) -> usize {
    text[block.clone()].rfind('\n').map_or(block.start, |at| block.start + at + 1)
}

/// Returns a block with its secrets replaced; `None` if it has none.
fn hidden_block(block: &str, secrets: &[String]) -> Option<String> {
    let line_end = if block.contains("\r\n") { "\r\n" } else { "\n" };
    let width = block.split(line_end).next().map_or(0, str::len);
    let run: String = block.split(line_end).collect();
    let digits = run.trim_end_matches('=');
    let is_for_urls = digits.contains(['-', '_']);
    let reader = if is_for_urls { URL_SAFE_NO_PAD } else { STANDARD_NO_PAD };
    // A replayed call writes the hidden text as it wrote the secret; Node pads the one form and not the other.
    let writer = match (is_for_urls, digits.len() != run.len()) {
        (true, false) => URL_SAFE_NO_PAD,
        (true, true) => URL_SAFE,
        (false, false) if !run.len().is_multiple_of(4) => STANDARD_NO_PAD,
        (false, _) => STANDARD,
    };
    let decoded = reader.decode(digits).ok().and_then(|bytes| String::from_utf8(bytes).ok())?;
    let mut hidden = decoded.clone();
    for secret in secrets.iter().filter(|secret| secret.len() >= MIN_SECRET) {
        hidden = hidden.replace(secret.as_str(), REDACTED);
    }
    if hidden == decoded {
        return None;
    }
    let encoded = writer.encode(hidden);
    if !block.contains('\n') {
        return Some(encoded);
    }
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(width.max(1)).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    Some(lines.join(line_end))
}

/// The forms of a secret: as it is, in JSON, in JSON inside JSON, in URLs, in base64 and as hexadecimal digits. Each comes with the same form of
/// [`REDACTED`], because a replayed call writes that.
pub(super) fn forms(secret: &str) -> Vec<(String, String)> {
    let json = |text: &str| {
        let quoted = Value::from(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let inner = json(secret);
    let mut forms = vec![(json(&inner), REDACTED.to_owned()), (inner, REDACTED.to_owned())];
    forms.push((secret.to_owned(), REDACTED.to_owned()));
    // What `encodeURIComponent`, a path, a query and a form leave as it is.
    for unreserved in ["-_.!~*'()", "-_.!~*'()$&+,;=:@/", "-_.!~*()$&+,;=:@/?", "-_.*"] {
        let form = percent_encoded(secret, unreserved);
        forms.push((form.replace("%20", "+"), percent_encoded(REDACTED, unreserved)));
        forms.push((form, percent_encoded(REDACTED, unreserved)));
    }
    let encoded = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    forms.push((encoded(secret), encoded(REDACTED)));
    forms.push((hexadecimal(secret), hexadecimal(REDACTED)));
    forms.push((hexadecimal(secret).to_uppercase(), hexadecimal(REDACTED).to_uppercase()));
    forms
}

fn percent_encoded(text: &str, unreserved: &str) -> String {
    let is_free = |byte: u8| byte.is_ascii_alphanumeric() || unreserved.as_bytes().contains(&byte);
    let parts = text
        .bytes()
        .map(|byte| if is_free(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") });
    parts.collect()
}

fn hexadecimal(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}
