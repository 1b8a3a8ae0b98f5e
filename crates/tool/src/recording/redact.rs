//! Removal of credentials from recordings. The same is done to the questions of a replayed call, so that they are found.

use serde_json::Value;

use super::{
    Answer, Exchange, Recording,
    command_lines::hide_in_arguments,
    forms::{forms, hide_in_base64},
    pieces::hide_pieces,
};

/// Stands for a credential.
pub const REDACTED: &str = "<redacted>";
/// Shorter values are not searched for: they would be found everywhere.
pub(super) const MIN_SECRET: usize = 6;
/// Headers whose values are credentials.
const HEADERS: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "x-auth-token",
    "x-goog-api-key",
    "x-amz-security-token",
    "private-token",
    "x-csrf-token",
    "www-authenticate",
];

/// Returns whether a variable, header or query key of this name holds a credential.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let parts = [
        "token",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "bearer",
        "cookie",
        "api_key",
        "apikey",
        "access_key",
        "private_key",
        "credential",
    ];
    parts.iter().any(|part| name.contains(part))
        || name
            .split('_')
            .any(|word| matches!(word, "key" | "auth" | "pwd" | "pass" | "sig" | "signature" | "pat"))
}

/// Returns whether an environment variable of this name holds a credential. `PWD` is the working directory there, and would
/// be found in every path.
pub fn is_secret_variable_name(name: &str) -> bool {
    name != "PWD" && is_secret_name(name)
}

fn is_secret_header(name: &str) -> bool {
    HEADERS.contains(&name.to_ascii_lowercase().as_str()) || is_secret_name(name)
}

/// Returns the credentials in a recording, and those of the given ones that are long enough to be searched for.
pub(super) fn secrets_of(recording: &Recording, more: &[String]) -> Vec<String> {
    let mut secrets: Vec<String> = more.to_vec();
    let load = recording.load.iter().flat_map(|load| &load.asked.exchanges);
    for exchange in recording.exchanges.iter().chain(load) {
        if is_secret_variable(exchange)
            && let Answer::Returns(Value::String(value)) = &exchange.answer
        {
            secrets.push(value.clone());
        }
        collect(exchange, &mut secrets);
    }
    secrets.retain(|secret| secret.len() >= MIN_SECRET && secret != REDACTED);
    // A secret may be part of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets
}

fn is_secret_variable(exchange: &Exchange) -> bool {
    exchange.ask == "variable"
        && exchange.args.first().and_then(Value::as_str).is_some_and(is_secret_variable_name)
}

pub(super) fn redact(recording: &mut Recording, secrets: &[String]) {
    let secrets = secrets_of(recording, secrets);
    for exchange in &mut recording.exchanges {
        if is_secret_variable(exchange)
            && let Answer::Returns(Value::String(value)) = &mut exchange.answer
        {
            REDACTED.clone_into(value);
        }
        normalize(exchange);
        each_text(exchange, &mut |text| hide(text, &secrets));
    }
    hide_pieces(&mut recording.exchanges, &secrets);
    if let Some(load) = &mut recording.load {
        redact(&mut load.asked, &secrets);
    }
}

/// Replaces secrets in a text, in each form in which they are written.
pub(super) fn hide(text: &mut String, secrets: &[String]) {
    for secret in secrets.iter().filter(|secret| secret.len() >= MIN_SECRET) {
        for (form, hidden) in forms(secret) {
            if text.contains(&form) {
                *text = text.replace(&form, &hidden);
            }
        }
    }
    hide_in_base64(text, secrets);
}

/// Collects the credentials of a request or a command line, which the answer may repeat.
fn collect(exchange: &Exchange, secrets: &mut Vec<String>) {
    let mut exchange = exchange.clone();
    without_credentials(&mut exchange, &mut |secret| {
        secrets.push(secret.to_owned());
        // "Bearer TOKEN": the token counts too.
        secrets.extend(secret.split_once(' ').map(|(_, token)| token.to_owned()));
    });
}

/// Brings an exchange into the form in which it is stored: without credentials of the request itself.
pub(super) fn normalize(exchange: &mut Exchange) {
    without_credentials(exchange, &mut |_| {});
}

/// Removes credentials from a request or a command line, and reports each.
fn without_credentials(exchange: &mut Exchange, found: &mut dyn FnMut(&str)) {
    let ask = exchange.ask.clone();
    let is_fetch = ask.starts_with("fetch");
    let is_process = ask.starts_with("process");
    let is_program = is_process || ask.starts_with("exec");
    let is_raw = ask.starts_with("stream") || ask.starts_with("net") || ask.starts_with("tls");
    if let (true, Answer::Returns(Value::String(value))) = (ask == "variable", &mut exchange.answer) {
        // The address of a database with its password.
        hide_in_urls(value, found);
    }
    each_text(exchange, &mut |text| {
        if is_fetch || is_program {
            let Ok(mut value) = serde_json::from_str::<Value>(text) else { return };
            let Some(fields) = value.as_object_mut() else { return };
            if is_process {
                // The variables are the tool's own, which are recorded one by one.
                fields.shift_remove("env");
            }
            for (name, value) in fields.get_mut("env").and_then(Value::as_object_mut).into_iter().flatten() {
                if is_secret_variable_name(name) {
                    redact_whole(value, found);
                } else if let Value::String(text) = value {
                    hide_in_urls(text, found);
                }
            }
            for pair in fields.get_mut("headers").and_then(Value::as_array_mut).into_iter().flatten() {
                if pair[0].as_str().is_some_and(is_secret_header) {
                    redact_whole(&mut pair[1], found);
                }
            }
            if let Some(Value::String(url)) = fields.get_mut("url") {
                hide_in_urls(url, found);
            }
            if is_program {
                hide_in_arguments(fields.get_mut("args"), found);
            }
            *text = value.to_string();
        } else if is_raw {
            hide_in_message(text, found);
        }
    });
}

fn redact_whole(value: &mut Value, found: &mut dyn FnMut(&str)) {
    if let Some(secret) = value.as_str().filter(|text| *text != REDACTED) {
        found(secret);
        *value = REDACTED.into();
    }
}

/// Removes the values of secret headers, which extend to one of the given characters.
pub(super) fn hide_in_headers(text: &mut String, ends: &[char], found: &mut dyn FnMut(&str)) {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let mut changed = String::new();
    for part in text.split_inclusive(ends) {
        let (line, rest) = part.split_at(part.trim_end_matches(ends).len());
        match line.split_once(':') {
            Some((name, value))
                if is_name(name.trim()) && is_secret_header(name.trim()) && !value.trim().is_empty() =>
            {
                found(value.trim());
                changed.push_str(&format!("{name}: {REDACTED}"));
            }
            _ => changed.push_str(line),
        }
        changed.push_str(rest);
    }
    *text = changed;
}

/// Removes user names with passwords, and the values of secret query keys, from all URLs of a text.
pub(super) fn hide_in_urls(text: &mut String, found: &mut dyn FnMut(&str)) {
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '<' | '>' | '`');
    let mut from = 0;
    while let Some(start) = text[from..].find("://").map(|at| from + at + 3) {
        let end = text[start..]
            .find(|letter| ends(letter) || "/?#".contains(letter))
            .map_or(text.len(), |at| start + at);
        if let Some(at) = text[start..end].rfind('@') {
            text[start..start + at].split(':').for_each(&mut *found);
            text.replace_range(start..start + at, REDACTED);
        }
        from = start;
    }
    let mut from = 0;
    while let Some(start) = text[from..].find(['?', '&']).map(|at| from + at + 1) {
        from = start;
        let end = text[start..]
            .find(|letter| ends(letter) || "&#".contains(letter))
            .map_or(text.len(), |at| start + at);
        let Some(equals) = text[start..end].find('=').map(|at| start + at) else { continue };
        if is_secret_name(&text[start..equals]) && equals + 1 < end {
            found(&text[equals + 1..end]);
            text.replace_range(equals + 1..end, REDACTED);
        }
    }
}

/// Removes credentials from the text of an HTTP message: from its first line and its headers.
fn hide_in_message(text: &mut String, found: &mut dyn FnMut(&str)) {
    let Some(first) = text.find("\r\n") else { return };
    let mut line = text[..first].to_owned();
    let mut rest = text[first..].to_owned();
    if line.contains(" HTTP/") {
        hide_in_urls(&mut line, found);
    }
    hide_in_headers(&mut rest, &['\r', '\n'], found);
    *text = line + &rest;
}

/// Calls `change` for every text of an exchange.
pub(super) fn each_text(exchange: &mut Exchange, change: &mut dyn FnMut(&mut String)) {
    exchange.args.iter_mut().for_each(|value| walk(value, change));
    match &mut exchange.answer {
        Answer::Returns(value) | Answer::Throws(value) | Answer::Resolves(value) | Answer::Rejects(value) => {
            walk(value, change);
        }
        Answer::Pending(_) => {}
    }
}

pub(super) fn walk(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(list) => list.iter_mut().for_each(|item| walk(item, change)),
        Value::Object(fields) => {
            for (name, item) in fields.iter_mut() {
                match item {
                    // Bytes that are no text are compared as the text they would be.
                    Value::String(hex) if name == "$hex" => change_bytes(hex, change),
                    item => walk(item, change),
                }
            }
        }
        _ => {}
    }
}

/// Changes bytes that are written as hexadecimal digits, where a change keeps every other byte.
fn change_bytes(hex: &mut String, change: &mut dyn FnMut(&mut String)) {
    let digits = hex.as_bytes().chunks_exact(2);
    let bytes: Option<Vec<u8>> =
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect();
    let Some(bytes) = bytes else { return };
    // Each byte as one character, so that nothing is lost.
    let before: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let mut after = before.clone();
    change(&mut after);
    if after != before {
        *hex = after.chars().map(|letter| format!("{:02x}", u32::from(letter).min(255))).collect();
    }
}
