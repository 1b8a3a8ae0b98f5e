//! Removal of credentials from recordings. The same is done to the questions of a replayed call, so that they are found.

use serde_json::Value;

use super::{Answer, Exchange, Recording};

/// Stands for a credential.
pub const REDACTED: &str = "<redacted>";
/// Shorter values are not searched for: they would be found everywhere.
const MIN_SECRET: usize = 6;
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

fn is_secret_header(name: &str) -> bool {
    HEADERS.contains(&name.to_ascii_lowercase().as_str()) || is_secret_name(name)
}

/// Returns the credentials in a recording, and those of the given ones that are long enough to be searched for.
pub(super) fn secrets_of(recording: &Recording, more: &[String]) -> Vec<String> {
    let mut secrets: Vec<String> = more.to_vec();
    for exchange in &recording.exchanges {
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
    exchange.ask == "variable" && exchange.args.first().and_then(Value::as_str).is_some_and(is_secret_name)
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
}

/// Replaces secrets in a text.
pub(super) fn hide(text: &mut String, secrets: &[String]) {
    for secret in secrets {
        if text.contains(secret.as_str()) {
            *text = text.replace(secret.as_str(), REDACTED);
        }
    }
}

/// Collects the credentials of a request, which a server may repeat.
fn collect(exchange: &Exchange, secrets: &mut Vec<String>) {
    if !exchange.ask.starts_with("fetch") {
        return;
    }
    for text in exchange.args.iter().filter_map(Value::as_str) {
        let Ok(request) = serde_json::from_str::<Value>(text) else { continue };
        for pair in request["headers"].as_array().into_iter().flatten() {
            if let (Some(name), Some(value)) = (pair[0].as_str(), pair[1].as_str())
                && is_secret_header(name)
            {
                secrets.push(value.to_owned());
                // "Bearer TOKEN": the token counts too.
                secrets.extend(value.split_once(' ').map(|(_, token)| token.to_owned()));
            }
        }
        secrets.extend(request["url"].as_str().into_iter().flat_map(query_secrets));
    }
}

fn query_secrets(url: &str) -> Vec<String> {
    let query = url.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let pairs = query.split(['&', '#']).filter_map(|pair| pair.split_once('='));
    pairs.filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value.to_owned()).collect()
}

/// Brings an exchange into the form in which it is stored: without credentials of the request itself.
pub(super) fn normalize(exchange: &mut Exchange) {
    let ask = exchange.ask.clone();
    let is_fetch = ask.starts_with("fetch");
    let is_process = ask.starts_with("process");
    let is_raw = ask.starts_with("stream") || ask.starts_with("net") || ask.starts_with("tls");
    each_text(exchange, &mut |text| {
        if is_fetch || is_process {
            let Ok(mut value) = serde_json::from_str::<Value>(text) else { return };
            if !value.is_object() {
                return;
            }
            if is_process {
                // The variables are the tool's own, which are recorded one by one.
                value.as_object_mut().and_then(|fields| fields.shift_remove("env"));
            }
            for pair in value.get_mut("headers").and_then(Value::as_array_mut).into_iter().flatten() {
                if pair[0].as_str().is_some_and(is_secret_header) {
                    pair[1] = REDACTED.into();
                }
            }
            if let Some(url) = value["url"].as_str() {
                value["url"] = without_credentials(url).into();
            }
            *text = value.to_string();
        } else if is_raw {
            *text = without_header_values(text);
        }
    });
}

fn without_credentials(url: &str) -> String {
    let mut url = url.to_owned();
    if let Some(start) = url.find("://").map(|at| at + 3) {
        let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
        if let Some(at) = url[start..end].rfind('@') {
            url.replace_range(start..start + at, REDACTED);
        }
    }
    let Some((address, query)) = url.split_once('?') else { return url };
    let parts: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if is_secret_name(name) => format!("{name}={REDACTED}"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{address}?{}", parts.join("&"))
}

/// Removes values of secret headers from the text of an HTTP message.
fn without_header_values(text: &str) -> String {
    if !text.contains("\r\n") {
        return text.to_owned();
    }
    let lines = text.split("\r\n").map(|line| match line.split_once(':') {
        Some((name, _)) if is_secret_header(name.trim()) => format!("{name}: {REDACTED}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\r\n")
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
