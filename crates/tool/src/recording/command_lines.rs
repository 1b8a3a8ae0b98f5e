//! Credentials in the arguments of programs, and in scripts among them.

use serde_json::Value;

use super::redact::{REDACTED, hide_in_headers, hide_in_urls, is_secret_name, is_secret_variable_name};

/// Removes credentials from the arguments of a program: those that its options and assignments name, headers and URLs.
pub(super) fn hide_in_arguments(arguments: Option<&mut Value>, found: &mut dyn FnMut(&str)) {
    let mut words = Words::default();
    for argument in arguments.and_then(Value::as_array_mut).into_iter().flatten() {
        let Value::String(text) = argument else { continue };
        if let Some(hidden) = words.hide(text, found) {
            *text = hidden;
        }
        // The text of a script has words of its own.
        if text.contains(char::is_whitespace) {
            hide_in_script(text, found);
        }
        // `--header=Authorization: X`, and `http.extraHeader=Authorization: X` of git.
        if let Some((name, value)) = text.split_once('=') {
            let mut value = value.to_owned();
            hide_in_headers(&mut value, &['\r', '\n'], found);
            *text = format!("{name}={value}");
        }
        hide_in_headers(text, &['\r', '\n'], found);
        // A header in the text of a script ends with the quotation mark around it.
        hide_in_headers(text, &['\r', '\n', '"', '\''], found);
        hide_in_urls(text, found);
    }
}

/// The words of a command line, one after another.
#[derive(Default)]
struct Words {
    /// The next word is a credential.
    is_secret: bool,
    /// The next word is a user name with a password.
    is_user: bool,
}

impl Words {
    /// Returns the word without its credential: `--token=X`, `TOKEN=X`, `X` after `--token`, `user:X` after `-u`, and `-uuser:X`.
    fn hide(&mut self, word: &str, found: &mut dyn FnMut(&str)) -> Option<String> {
        let is_option = word.starts_with('-');
        if std::mem::take(&mut self.is_secret) && !is_option {
            return (word != REDACTED).then(|| {
                found(word);
                REDACTED.to_owned()
            });
        }
        let is_joined = word.starts_with("-u");
        let is_user = std::mem::take(&mut self.is_user) && !is_option || is_joined;
        if let Some((user, secret)) = word.split_once(':').filter(|_| is_user) {
            found(secret);
            return Some(format!("{user}:{REDACTED}"));
        }
        match word.split_once('=') {
            Some((name, secret)) => {
                let plain = name.trim_start_matches('-');
                let is_name =
                    plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
                let is_credential = is_name && is_secret_variable_name(plain);
                // The value is behind a quotation mark.
                self.is_secret = is_credential && secret.is_empty();
                (is_credential && !secret.is_empty()).then(|| {
                    found(secret);
                    format!("{name}={REDACTED}")
                })
            }
            None => {
                self.is_secret = is_option && is_secret_name(word.trim_start_matches('-'));
                self.is_user = matches!(word, "-u" | "--user" | "--proxy-user");
                None
            }
        }
    }
}

/// Removes credentials from the words of a script. A value in quotation marks extends to their end.
fn hide_in_script(text: &mut String, found: &mut dyn FnMut(&str)) {
    let mut words = Words::default();
    let mut changed = String::with_capacity(text.len());
    // The mark around the script, as in `sh -c "…"`.
    let mut outer = None;
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find(is_word_end).unwrap_or(rest.len()));
        let is_escaped = word.ends_with('\\');
        let mark = after.chars().next();
        let mark = mark.filter(|mark| is_mark(*mark) && (outer != Some(*mark) || is_escaped));
        // `$` and `\` before a mark are part of it.
        let core = if mark.is_some() { word.trim_end_matches(['$', '\\']) } else { word };
        let hidden = Some(core).filter(|core| !core.is_empty()).and_then(|core| words.hide(core, found));
        if mark.is_some() && (hidden.is_some() || words.is_secret || (words.is_user && core.is_empty())) {
            let (value, end) = quoted(&rest[core.len()..]);
            changed.push_str(hidden.as_deref().unwrap_or(core));
            match hidden {
                // The marks continue a value that is hidden already.
                Some(_) => found(&value),
                None => {
                    let value = words.hide(&value, found).unwrap_or(value);
                    changed.push_str(&format!("\"{value}\""));
                }
            }
            rest = &rest[core.len() + end..];
            // So does what follows the marks directly.
            while rest
                .starts_with(|letter| !is_word_end(letter) || (is_mark(letter) && outer != Some(letter)))
            {
                let end = match rest.starts_with(is_mark) {
                    true => quoted(rest).1,
                    false => rest.find(is_word_end).unwrap_or(rest.len()),
                };
                found(&rest[..end]);
                rest = &rest[end..];
            }
            continue;
        }
        changed.push_str(hidden.as_deref().unwrap_or(word));
        rest = after;
        if let Some(end) = after.chars().next() {
            changed.push(end);
            rest = &after[end.len_utf8()..];
            match outer {
                _ if is_escaped => {}
                Some(open) if open == end => outer = None,
                None if is_mark(end) => outer = Some(end),
                _ => {}
            }
        }
    }
    *text = changed;
}

fn is_word_end(letter: char) -> bool {
    letter.is_whitespace() || is_mark(letter) || matches!(letter, '`' | ';' | '|' | '&' | '(' | ')')
}

fn is_mark(letter: char) -> bool {
    matches!(letter, '"' | '\'')
}

/// Reads a text in quotation marks; `$` and `\` may stand before them. Returns the text and its length with the marks. A text
/// without an end extends to the end of the script.
fn quoted(text: &str) -> (String, usize) {
    let Some(start) = text.find(is_mark) else { return (text.to_owned(), text.len()) };
    let (prefix, rest) = text.split_at(start);
    let Some(mark) = rest.chars().next() else { return (String::new(), text.len()) };
    let inside = &rest[mark.len_utf8()..];
    // Inside of another string, the marks are escaped themselves.
    let (end, closing) = if prefix.ends_with('\\') {
        (inside.find(&format!("\\{mark}")), 1 + mark.len_utf8())
    } else {
        let has_escapes = mark == '"' || prefix.ends_with('$');
        let mut is_escaped = false;
        let end = inside.char_indices().find(|(_, letter)| {
            let is_end = *letter == mark && !is_escaped;
            is_escaped = has_escapes && *letter == '\\' && !is_escaped;
            is_end
        });
        (end.map(|(at, _)| at), mark.len_utf8())
    };
    match end {
        Some(end) => (inside[..end].to_owned(), start + mark.len_utf8() + end + closing),
        None => (inside.to_owned(), text.len()),
    }
}
