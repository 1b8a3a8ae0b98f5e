//! The message for rejected arguments: path, expected and received values.

use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use serde_json::Value;
use thiserror::Error;

use super::schema::{Part, SchemaTree, fits_types, type_name};

/// Maximum number of problems listed; the rest is counted.
const MAX_PROBLEMS: usize = 20;
/// Maximum number of problems searched for.
const MAX_COLLECTED: usize = 100;
/// Bounds recursion through schema and value.
const MAX_DEPTH: usize = 200;
/// Maximum number of characters of one received value in a problem.
const MAX_VALUE_CHARS: usize = 80;
/// Maximum number of characters of one string in the received arguments.
const MAX_STRING_CHARS: usize = 256;
/// Maximum number of characters of the received arguments.
const MAX_RECEIVED_CHARS: usize = 4_000;

/// One problem and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) path: String,
    pub(super) message: String,
}

/// Rejected arguments. The display form is the whole message for the model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text}")]
#[non_exhaustive]
pub struct ArgumentError {
    /// Returns the message for the model.
    pub text: String,
}

impl ArgumentError {
    pub(super) fn not_json(tool: &str, text: &str, error: &serde_json::Error) -> Self {
        Self {
            text: format!(
                "Validation failed for tool \"{tool}\": Tool call arguments are not valid JSON.\nParse Error: {error}\n\n\
                 Received arguments:\n{}",
                cut(text, MAX_RECEIVED_CHARS)
            ),
        }
    }

    pub(super) fn too_deep(tool: &str, limit: usize) -> Self {
        Self {
            text: format!(
                "Validation failed for tool \"{tool}\":\n  - root: arguments are nested deeper than {limit} levels"
            ),
        }
    }

    pub(super) fn invalid(tool: &str, problems: Vec<Problem>, received: &Value) -> Self {
        let mut text = format!("Validation failed for tool \"{tool}\":");
        let more = problems.len().saturating_sub(MAX_PROBLEMS);
        for problem in problems.into_iter().take(MAX_PROBLEMS) {
            text.push_str(&format!("\n  - {}: {}", cut(&problem.path, MAX_STRING_CHARS), problem.message));
        }
        if more > 0 {
            text.push_str(&format!("\n  … and {more} more"));
        }
        text.push_str(&format!("\n\nReceived arguments:\n{}", received_text(received)));
        Self { text }
    }
}

/// Finds the problems of `value`, each at the smallest invalid part.
///
/// The validator could list errors itself, but it lists those of every alternative within every alternative, which is
/// unbounded for recursive schemas. Here only one alternative is reported at each fork.
pub(super) fn problems(tree: &SchemaTree, value: &Value) -> Vec<Problem> {
    let mut found = Explanation { path: Vec::new(), problems: Vec::new() };
    found.explain(&tree.root(), value, 0);
    found.problems
}

struct Explanation {
    path: Vec<String>,
    problems: Vec<Problem>,
}

impl Explanation {
    fn push(&mut self, name: Option<&str>, message: String) {
        let mut parts: Vec<&str> = self.path.iter().map(String::as_str).collect();
        parts.extend(name);
        let path = if parts.is_empty() { "root".to_owned() } else { parts.join("/") };
        let problem = Problem { path, message };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn is_full(&self) -> bool {
        self.problems.len() > MAX_COLLECTED
    }

    fn explain(&mut self, part: &Part<'_>, value: &Value, depth: usize) {
        if depth > MAX_DEPTH || self.is_full() || part.is_valid(value) {
            return;
        }
        let before = self.problems.len();
        for branch in part.reference().into_iter().chain(part.branches("allOf")) {
            self.explain(&branch, value, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            self.explain_alternatives(&part.branches(keyword), value, depth + 1);
        }
        if let Some(validator) = part.without_inner_parts() {
            for error in validator.iter_errors(value) {
                self.describe(&error);
            }
        }
        match value {
            Value::Object(map) => {
                for (key, inner) in map {
                    let Some(property) = part.property(key).or_else(|| part.below(["additionalProperties"]))
                    else {
                        continue;
                    };
                    self.path.push(key.clone());
                    self.explain(&property, inner, depth + 1);
                    self.path.pop();
                }
            }
            Value::Array(items) => {
                for (index, inner) in items.iter().enumerate() {
                    if self.is_full() {
                        break;
                    }
                    let Some(element) = part.element(index) else { break };
                    self.path.push(index.to_string());
                    self.explain(&element, inner, depth + 1);
                    self.path.pop();
                }
            }
            _ => {}
        }
        if self.problems.len() == before {
            let rules = part.rare_keywords();
            let rules = if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) };
            self.push(None, format!("does not satisfy the schema{rules}, {}", received(value)));
        }
    }

    /// Reports the closest alternative: for a value of the right kind, the mistake inside it; otherwise what was
    /// expected.
    fn explain_alternatives(&mut self, branches: &[Part<'_>], value: &Value, depth: usize) {
        if branches.is_empty() || branches.iter().any(|branch| branch.is_valid(value)) {
            return;
        }
        let targets: Vec<Part<'_>> =
            branches.iter().map(|branch| branch.reference().unwrap_or_else(|| branch.clone())).collect();
        let (right_type, wrong_type): (Vec<&Part<'_>>, Vec<&Part<'_>>) = targets.iter().partition(|part| {
            let types = part.expected_types();
            (types.is_empty() || fits_types(value, &types))
                && part.keyword("const").is_none()
                && part.keyword("enum").is_none()
        });
        let closest = right_type
            .iter()
            .filter(|part| wrong_tag(part, value).is_none())
            .min_by_key(|part| count_wrong_properties(part, value));
        if let Some(part) = closest {
            return self.explain(part, value, depth);
        }
        if let Some(tag) = right_type.iter().find_map(|part| wrong_tag(part, value)) {
            let options: Vec<String> = right_type.iter().filter_map(|part| tag_text(part, tag)).collect();
            let given = value.get(tag).map(received).unwrap_or_default();
            return self.push(
                Some(tag),
                format!("expected one of {}, {given}", cut(&options.join(", "), MAX_STRING_CHARS)),
            );
        }
        let mut expected: Vec<String> = Vec::new();
        for part in wrong_type {
            let words = match (part.keyword("const"), part.keyword("enum")) {
                (Some(only), _) => cut(&only.to_string(), MAX_VALUE_CHARS),
                (_, Some(options)) => format!("one of {}", options_text(options)),
                _ => part.expected_types().join(" or "),
            };
            if !words.is_empty() && !expected.contains(&words) {
                expected.push(words);
            }
        }
        self.push(None, format!("expected {}, {}", expected.join(" or "), received(value)));
    }

    fn describe(&mut self, error: &ValidationError<'_>) {
        let received = received(error.instance());
        let message = match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().map_or_else(|| property.to_string(), str::to_owned);
                return self.push(Some(&name), "required, but missing".to_owned());
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                for name in unexpected {
                    self.push(Some(name), "not a known property".to_owned());
                }
                return;
            }
            ValidationErrorKind::Type { kind } => format!("expected {}", type_words(kind)),
            ValidationErrorKind::Enum { options } => format!("expected one of {}", options_text(options)),
            ValidationErrorKind::Constant { expected_value } => {
                format!("expected {}", cut(&expected_value.to_string(), MAX_VALUE_CHARS))
            }
            ValidationErrorKind::Format { format } => format!("expected the format {format:?}"),
            ValidationErrorKind::Pattern { pattern } => {
                format!("expected text matching /{}/", cut(pattern, MAX_VALUE_CHARS))
            }
            ValidationErrorKind::MinLength { limit } => format!("expected at least {limit} characters"),
            ValidationErrorKind::MaxLength { limit } => format!("expected at most {limit} characters"),
            ValidationErrorKind::MinItems { limit } => format!("expected at least {limit} items"),
            ValidationErrorKind::MaxItems { limit } => format!("expected at most {limit} items"),
            ValidationErrorKind::Minimum { limit } => format!("expected at least {limit}"),
            ValidationErrorKind::Maximum { limit } => format!("expected at most {limit}"),
            ValidationErrorKind::ExclusiveMinimum { limit } => format!("expected more than {limit}"),
            ValidationErrorKind::ExclusiveMaximum { limit } => format!("expected less than {limit}"),
            ValidationErrorKind::MultipleOf { multiple_of } => {
                format!("expected a multiple of {multiple_of}")
            }
            ValidationErrorKind::UniqueItems => "expected items that all differ".to_owned(),
            // The library's own message for the rest, without the value, which can have megabytes.
            _ => cut(&error.masked_with("the value").to_string(), MAX_STRING_CHARS),
        };
        self.push(None, format!("{message}, {received}"));
    }
}

/// Returns the discriminator (`"kind": {"const": …}`) that selects another alternative.
fn wrong_tag<'s>(part: &Part<'s>, value: &Value) -> Option<&'s str> {
    part.property_names().find(|name| {
        let given = value.get(name);
        part.property(name).is_some_and(|property| {
            property.keyword("const").is_some() && given.is_some_and(|given| !property.is_valid(given))
        })
    })
}

fn tag_text(part: &Part<'_>, tag: &str) -> Option<String> {
    part.property(tag)?.keyword("const").map(Value::to_string)
}

fn count_wrong_properties(part: &Part<'_>, value: &Value) -> usize {
    part.property_names()
        .filter(|name| match value.get(name) {
            Some(given) => part.property(name).is_some_and(|property| !property.is_valid(given)),
            None => part.requires(name),
        })
        .count()
}

fn type_words(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(name) => name.to_string(),
        TypeKind::Multiple(names) => {
            names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn options_text(options: &Value) -> String {
    let texts: Vec<String> = options.as_array().into_iter().flatten().map(Value::to_string).collect();
    cut(&texts.join(", "), MAX_STRING_CHARS)
}

fn received(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("received an array of {}", items.len()),
        Value::Object(map) => format!("received an object with {} properties", map.len()),
        Value::Null => "received null".to_owned(),
        scalar => format!("received {} ({})", cut(&scalar.to_string(), MAX_VALUE_CHARS), type_name(scalar)),
    }
}

/// Formats the arguments as the model sent them, truncated.
fn received_text(value: &Value) -> String {
    let mut shown = value.clone();
    shorten_strings(&mut shown);
    let text = serde_json::to_string_pretty(&shown).unwrap_or_else(|_| shown.to_string());
    cut(&text, MAX_RECEIVED_CHARS)
}

fn shorten_strings(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > MAX_STRING_CHARS => *text = cut(text, MAX_STRING_CHARS),
        Value::Array(items) => items.iter_mut().for_each(shorten_strings),
        Value::Object(map) => map.values_mut().for_each(shorten_strings),
        _ => {}
    }
}

fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}… ({} bytes in all)", &text[..at], text.len()),
    }
}
