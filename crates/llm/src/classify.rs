//! Maps a provider's error response to an error class. Providers have little in common, so this uses tables: first the
//! error code, then the status, and the wording where neither is conclusive.

use std::time::Duration;

use serde_json::Value;

use crate::error::{ErrorClass, LlmError};

/// Maximum length of a provider's error text that is kept. Some providers answer with a whole HTML page.
const MAX_TEXT_CHARS: usize = 2000;

/// A provider's error response.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Said {
    pub(crate) status: Option<u16>,
    pub(crate) code: Option<String>,
    pub(crate) text: String,
    pub(crate) retry_after: Option<Duration>,
}

/// Codes that determine the class by themselves.
const CODES: &[(&str, ErrorClass)] = &[
    ("overloaded_error", ErrorClass::Overloaded),
    ("overloaded", ErrorClass::Overloaded),
    ("server_overloaded", ErrorClass::Overloaded),
    ("server_is_overloaded", ErrorClass::Overloaded),
    ("engine_overloaded", ErrorClass::Overloaded),
    ("slow_down", ErrorClass::Overloaded),
    ("unavailable", ErrorClass::Overloaded),
    ("rate_limit_error", ErrorClass::RateLimited),
    ("rate_limit_exceeded", ErrorClass::RateLimited),
    ("too_many_requests", ErrorClass::RateLimited),
    ("resource_exhausted", ErrorClass::RateLimited),
    ("insufficient_quota", ErrorClass::Quota),
    ("billing_error", ErrorClass::Quota),
    ("billing_not_active", ErrorClass::Quota),
    ("payment_required", ErrorClass::Quota),
    ("context_length_exceeded", ErrorClass::Overflow),
    ("model_context_window_exceeded", ErrorClass::Overflow),
    ("exceed_context_size_error", ErrorClass::Overflow),
    ("request_too_large", ErrorClass::Overflow),
    ("authentication_error", ErrorClass::Auth),
    ("permission_error", ErrorClass::Auth),
    ("invalid_api_key", ErrorClass::Auth),
    ("unauthenticated", ErrorClass::Auth),
    ("permission_denied", ErrorClass::Auth),
    ("content_filter", ErrorClass::Refused),
    ("content_policy_violation", ErrorClass::Refused),
    ("invalid_prompt", ErrorClass::Refused),
    ("api_error", ErrorClass::Server),
    ("server_error", ErrorClass::Server),
    ("internal_server_error", ErrorClass::Server),
    ("internal_error", ErrorClass::Server),
    ("internal", ErrorClass::Server),
    ("timeout_error", ErrorClass::Server),
    ("deadline_exceeded", ErrorClass::Server),
    ("invalid_request_error", ErrorClass::BadRequest),
    ("invalid_argument", ErrorClass::BadRequest),
    ("failed_precondition", ErrorClass::BadRequest),
    ("not_found_error", ErrorClass::BadRequest),
    ("not_found", ErrorClass::BadRequest),
    ("model_not_found", ErrorClass::BadRequest),
    ("throttlingexception", ErrorClass::RateLimited),
    ("servicequotaexceededexception", ErrorClass::Quota),
    ("serviceunavailableexception", ErrorClass::Overloaded),
    ("modelnotreadyexception", ErrorClass::Overloaded),
    ("accessdeniedexception", ErrorClass::Auth),
    ("expiredtokenexception", ErrorClass::Auth),
    ("unrecognizedclientexception", ErrorClass::Auth),
    ("invalidsignatureexception", ErrorClass::Auth),
    ("internalserverexception", ErrorClass::Server),
    ("modelstreamerrorexception", ErrorClass::Server),
    ("modeltimeoutexception", ErrorClass::Server),
    ("validationexception", ErrorClass::BadRequest),
    ("resourcenotfoundexception", ErrorClass::BadRequest),
];

/// Wordings of "context too long"; all words of a line must occur, in lower case.
const TOO_LONG: &[&[&str]] = &[
    &["prompt is too long"],                       // Anthropic
    &["exceed context limit"],                     // Anthropic, prompt and answer together
    &["exceeds the context window"],               // OpenAI
    &["maximum context length"],                   // OpenAI, OpenRouter, vLLM, Mistral
    &["context_length_exceeded"],                  // compatible servers, in the text
    &["input token count", "exceeds the maximum"], // Google
    &["maximum prompt length is"],                 // xAI
    &["reduce the length of the messages"],        // Groq
    &["exceeds the available context size"],       // llama.cpp
    &["greater than the context length"],          // LM Studio
    &["context window", "exceed"],                 // others
    &["context length", "exceed"],                 // others
    &["context size", "exceed"],                   // others
    &["input is too long"],                        // Bedrock behind gateways
    &["exceeded model token limit"],               // Moonshot
    &["input length", "exceeds the maximum"],      // others
    &["prompt contains", "tokens", "too large"],   // Mistral
];

/// Wordings that determine the class where neither code nor status does.
const WORDINGS: &[(&str, ErrorClass)] = &[
    ("api key not valid", ErrorClass::Auth),          // Google answers 400
    ("api key expired", ErrorClass::Auth),            // Google answers 400
    ("credit balance is too low", ErrorClass::Quota), // Anthropic answers 400
    ("insufficient credits", ErrorClass::Quota),      // OpenRouter
    ("insufficient balance", ErrorClass::Quota),      // DeepSeek
];

impl Said {
    /// Parses the body of an error response, or an error event.
    pub(crate) fn parse(status: Option<u16>, body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::from_json(status, &value),
            Err(_) => Self { status, text: shorten(plain(body).trim()), ..Self::default() },
        }
    }

    /// Parses an error from JSON. Google wraps stream errors in an array.
    pub(crate) fn from_json(status: Option<u16>, value: &Value) -> Self {
        let value = match value {
            Value::Array(items) => items.first().unwrap_or(&Value::Null),
            value => value,
        };
        let error = match &value["error"] {
            Value::Null => value,
            error => error,
        };
        let text_of = |value: &Value| value.as_str().map(str::to_owned);
        // Token servers put a code beside it.
        let text = text_of(&value["error_description"])
            .or_else(|| text_of(error))
            .or_else(|| text_of(&error["message"]))
            .or_else(|| text_of(&value["detail"]))
            // Some of AWS.
            .or_else(|| text_of(&value["Message"]))
            .unwrap_or_else(|| value.to_string());
        // Gateways put the upstream provider's error here.
        let behind = error["metadata"]["raw"].as_str();
        let text = match behind {
            Some(behind) if !text.contains(behind) => format!("{text}: {behind}"),
            _ => text,
        };
        let code = [&error["code"], &error["status"], &error["type"]].into_iter().find_map(text_of);
        let delay = error["details"]
            .as_array()
            .and_then(|details| details.iter().find_map(|detail| detail["retryDelay"].as_str()))
            .and_then(parse_duration);
        // A gateway may answer 200 and put the status into the stream.
        let inner = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        Self {
            status: status.filter(|status| *status >= 400).or(inner),
            code,
            retry_after: delay,
            text: shorten(&text),
        }
    }

    /// Converts to an error. The caller sets the provider.
    pub(crate) fn into_error(self) -> LlmError {
        let retry_after = self.retry_after.or_else(|| delay_in_text(&self.text));
        LlmError {
            class: self.class(),
            provider: String::new(),
            status: self.status,
            code: self.code,
            text: self.text,
            retry_after,
        }
    }

    fn class(&self) -> ErrorClass {
        let text = self.text.to_lowercase();
        let code = self.code.as_deref().unwrap_or_default().to_lowercase();
        let by_code = CODES.iter().find(|(known, _)| *known == code).map(|(_, class)| *class);
        let by_wording = WORDINGS.iter().find(|(wording, _)| text.contains(wording)).map(|(_, class)| *class);
        // Per-minute limits mention tokens too, but they pass.
        let limited = self.status == Some(429) || by_code == Some(ErrorClass::RateLimited);
        let too_long = TOO_LONG.iter().any(|words| words.iter().all(|word| text.contains(word)));
        match (by_wording, by_code) {
            (Some(class), _) => class,
            _ if too_long && !limited => ErrorClass::Overflow,
            // These two codes are less specific than the status.
            (None, Some(ErrorClass::BadRequest | ErrorClass::Server)) if self.status.is_some() => {
                self.class_of_status()
            }
            (None, Some(class)) => class,
            _ => self.class_of_status(),
        }
    }

    fn class_of_status(&self) -> ErrorClass {
        match self.status {
            Some(401 | 403) => ErrorClass::Auth,
            Some(402) => ErrorClass::Quota,
            Some(413) => ErrorClass::Overflow,
            Some(429) => ErrorClass::RateLimited,
            Some(503 | 529) => ErrorClass::Overloaded,
            Some(408 | 409 | 425) => ErrorClass::Server,
            Some(status) if status < 500 => ErrorClass::BadRequest,
            // A stream has no status, and an invalid request would have been rejected earlier.
            Some(_) | None => ErrorClass::Server,
        }
    }
}

/// Parses `1m2.5s`, `350ms`, `20s`; a bare number is in seconds.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = 0.0;
    let mut read_any = false;
    while let Some(first) = rest.chars().next() {
        if !first.is_ascii_digit() {
            break;
        }
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        // A full stop that ends the sentence.
        let number: f64 = number.trim_end_matches('.').parse().ok()?;
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        total += number
            * match unit {
                "ms" => 0.001,
                "" | "s" | "sec" | "second" | "seconds" => 1.0,
                "m" | "min" | "minute" | "minutes" => 60.0,
                "h" | "hour" | "hours" => 3600.0,
                _ => return None,
            };
        read_any = true;
        rest = after;
    }
    read_any.then(|| Duration::try_from_secs_f64(total).ok()).flatten()
}

fn delay_in_text(text: &str) -> Option<Duration> {
    let lower = text.to_lowercase();
    ["try again in ", "retry in ", "retry after "].into_iter().find_map(|phrase| {
        let at = lower.find(phrase)? + phrase.len();
        // "20 seconds": the unit belongs to the preceding number.
        let words: String = lower[at..].split_whitespace().take(2).collect();
        parse_duration(&words).or_else(|| parse_duration(lower[at..].split_whitespace().next()?))
    })
}

/// Extracts the text of an HTML page.
fn plain(body: &str) -> String {
    if !body.trim_start().starts_with('<') {
        return body.to_owned();
    }
    let mut words = String::new();
    let mut in_tag = false;
    for c in body.chars() {
        match c {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                words.push(' ');
            }
            c if !in_tag => words.push(c),
            _ => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
