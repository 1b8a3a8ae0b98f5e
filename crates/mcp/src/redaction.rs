//! Masking of credentials in everything that is shown about a server: its command line, its URL, and errors that repeat
//! either. Configuration files hold credentials in many places, so the rules prefer to mask too much.

use crate::config::Transport;

const MASK: &str = "***";
/// Parts of option and variable names whose values are masked.
const SECRET_NAMES: [&str; 11] = [
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "apikey",
    "accesskey",
    "privatekey",
    "auth",
    "credential",
    "cookie",
];
/// Beginnings of well-known keys.
const KEY_PREFIXES: [&str; 8] = ["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-"];
/// A key has at least this many characters; shorter words with the same beginning are ordinary ones.
const MIN_KEY_CHARS: usize = 12;
/// The same for tokens without digits.
const MIN_TOKEN_CHARS: usize = 16;

/// Masks users, passwords, queries and fragments of all URLs in a text, bearer tokens, and well-known forms of keys.
pub fn redact(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut is_after_bearer = false;
    for word in text.split_inclusive(is_separator) {
        let body = word.trim_end_matches(is_separator);
        let separator = &word[body.len()..];
        let is_key =
            KEY_PREFIXES.iter().any(|prefix| body.starts_with(prefix)) && body.len() >= MIN_KEY_CHARS;
        match is_key || (is_after_bearer && is_token(body)) {
            true => shown.push_str(MASK),
            false => shown.push_str(&redact_url(body)),
        }
        shown.push_str(separator);
        // Only a space may stand between the scheme and its token.
        is_after_bearer = match body {
            "" => is_after_bearer && separator == " ",
            body => {
                ["bearer", "basic"].iter().any(|scheme| body.eq_ignore_ascii_case(scheme)) && separator == " "
            }
        };
    }
    shown
}

/// A word after "Bearer" that may be a token; prose is not masked.
fn is_token(word: &str) -> bool {
    !is_reference(word) && (word.len() >= MIN_TOKEN_CHARS || word.contains(|c: char| c.is_ascii_digit()))
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '|' | ',')
}

/// A value that only names an environment variable is not a secret.
fn is_reference(value: &str) -> bool {
    value.starts_with("${") && value.ends_with('}') && !value[2..].contains("${") && !value.contains(":-")
}

/// Masks the first URL of a word; a word has at most one.
fn redact_url(word: &str) -> String {
    let Some((before, rest)) = word.split_once("://") else { return word.to_owned() };
    // An error names an address in brackets, perhaps before a colon or a full stop.
    let (rest, end) = match rest.trim_end_matches([':', '.', ';']).strip_suffix(')') {
        Some(inner) if before.contains('(') => (inner, &rest[inner.len()..]),
        _ => (rest, ""),
    };
    let stop = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let is_port = |text: &str| text.is_empty() || text.chars().all(|c| c.is_ascii_digit());
    // A password may contain any of the characters that end a host, so what is not a host and a port is not shown.
    let (authority, path) = match (rest[..stop].contains('@'), rest[..stop].rsplit_once(':'), rest.rfind('@'))
    {
        (false, Some((host, port)), Some(at)) if !is_port(port) && !host.starts_with('[') => {
            let after = &rest[at + 1..];
            let stop = after.find(['/', '?', '#', '\\']).unwrap_or(after.len());
            (format!("{MASK}@{}", &after[..stop]), &after[stop..])
        }
        _ => match rest[..stop].rsplit_once('@') {
            Some((_, host)) => (format!("{MASK}@{host}"), &rest[stop..]),
            None => (rest[..stop].to_owned(), &rest[stop..]),
        },
    };
    let (path, query) = match path.find(['?', '#']) {
        Some(at) => (&path[..at], if path.len() > at + 1 { format!("?{MASK}") } else { String::new() }),
        None => (path, String::new()),
    };
    format!("{before}://{authority}{path}{query}{end}")
}

/// Returns whether the value of an option or a variable is a secret, judged by its name.
fn is_secret_name(name: &str) -> bool {
    let folded: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| folded.contains(part))
}

/// Returns an argument without secrets, and whether the next one is the value of a secret option.
fn redact_argument(argument: &str, is_value: bool) -> (String, bool) {
    if is_value && !argument.starts_with('-') {
        return (if is_reference(argument) { argument.to_owned() } else { MASK.to_owned() }, false);
    }
    let name_end = argument.find(['=', ':']).filter(|at| !argument[*at..].starts_with("://"));
    if let Some(at) = name_end {
        let (name, value) = (&argument[..at], argument[at + 1..].trim());
        if !value.is_empty() && is_secret_name(name) && !is_reference(value) {
            return (format!("{}{MASK}", &argument[..=at]), false);
        }
        return (redact(argument), false);
    }
    (redact(argument), argument.starts_with('-') && is_secret_name(argument))
}

/// Returns the command line or URL of a server, for display. Environment and headers are not part of it.
pub(crate) fn target(transport: &Transport) -> String {
    match transport {
        Transport::Stdio { command, args, .. } => {
            let mut parts = vec![redact(command)];
            let mut is_value = false;
            for argument in args {
                let (shown, next) = redact_argument(argument, is_value);
                parts.push(shown);
                is_value = next;
            }
            parts.join(" ")
        }
        Transport::Http { url, .. } => redact(url),
        Transport::Inherited => String::new(),
    }
}

#[cfg(test)]
#[path = "redaction_tests.rs"]
mod tests;
