//! Rules about the parts of JSON Schema each provider supports. What a provider ignores is still validated here.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{finding::Remark, subject::Subject};

/// Keywords that providers reject at the top level of a tool's schema.
const NOT_AT_ROOT: &[&str] = &["anyOf", "oneOf", "allOf", "not", "enum", "const"];

/// Keywords that Anthropic's strict mode does not support.
const NOT_STRICT_ANTHROPIC: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "oneOf",
];

/// Keywords that OpenAI's strict mode does not support.
const NOT_STRICT_OPENAI: &[&str] = &[
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "uniqueItems",
    "minLength",
    "maxLength",
    "default",
];

/// Keywords that Gemini ignores.
const NOT_GEMINI: &[&str] = &[
    "pattern",
    "minLength",
    "maxLength",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "patternProperties",
    "propertyNames",
    "not",
    "allOf",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "const",
];

pub(super) fn root_keyword(subject: &Subject<'_>) -> Vec<Remark> {
    let Some(root) = subject.spec().parameters.as_object() else { return Vec::new() };
    let found: Vec<&str> = NOT_AT_ROOT.iter().copied().filter(|key| root.contains_key(*key)).collect();
    if found.is_empty() {
        return Vec::new();
    }
    vec![Remark::new(
        format!(
            "the parameters have {} at the top level, which Anthropic and OpenAI reject; they receive one object that admits every alternative",
            quoted(&found)
        ),
        "Use one object with optional properties, or move the union into a property.",
    )]
}

pub(super) fn array_items(subject: &Subject<'_>) -> Vec<Remark> {
    let places = subject.schemas();
    let bare = places.iter().filter(|place| {
        place.schema.get("type").is_some_and(|kind| kind == "array")
            && !place.schema.contains_key("items")
            && !place.schema.contains_key("prefixItems")
    });
    bare.map(|place| {
        Remark::new(
            format!(
                "\"{}\" is an array without an item type, which OpenAI and Gemini reject; they receive an array of anything",
                place.path
            ),
            "Add \"items\".",
        )
        .about(last_name(&place.path))
    })
    .collect()
}

pub(super) fn strict_open(subject: &Subject<'_>) -> Vec<Remark> {
    if subject.spec().strict != Some(true) {
        return Vec::new();
    }
    let mut remarks = Vec::new();
    for place in subject.schemas() {
        let properties = place.schema.get("properties").and_then(Value::as_object);
        let is_object = properties.is_some() || place.schema.get("type").is_some_and(|kind| kind == "object");
        let at =
            if place.path.is_empty() { "the parameters".to_owned() } else { format!("\"{}\"", place.path) };
        let without = "so strict mode is not requested";
        if is_object && place.schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            remarks.push(Remark::new(
                format!("the tool is strict, but {at} allows other properties, {without}"),
                "Close it: z.strictObject({…}), or additionalProperties: false.",
            ));
        }
        let required = place.schema.get("required").and_then(Value::as_array);
        let optional = properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
            .find(|name| !required.is_some_and(|list| list.iter().any(|item| item == name.as_str())));
        if let Some(name) = optional {
            remarks.push(
                Remark::new(
                    format!("the tool is strict, but \"{name}\" of {at} is optional, {without}"),
                    "Require it and allow null: .nullable() in zod.",
                )
                .about(name),
            );
        }
    }
    remarks
}

pub(super) fn strict_keyword(subject: &Subject<'_>) -> Vec<Remark> {
    if subject.spec().strict != Some(true) {
        return Vec::new();
    }
    let providers = [("Anthropic", NOT_STRICT_ANTHROPIC), ("OpenAI", NOT_STRICT_OPENAI)];
    providers
        .into_iter()
        .filter_map(|(provider, keywords)| {
            let used = used(subject, keywords)?;
            Some(Remark::new(
                format!("the tool is strict, and {provider}'s strict mode does not support {used}"),
                "Remove `strict`, or describe the constraint instead.",
            ))
        })
        .collect()
}

pub(super) fn gemini_keyword(subject: &Subject<'_>) -> Vec<Remark> {
    used(subject, NOT_GEMINI)
        .map(|used| {
            Remark::new(
                format!("Gemini ignores {used}"),
                "Mention it in the description too; arguments are still validated.",
            )
        })
        .into_iter()
        .collect()
}

/// Returns which of the keywords are used, and at which parameters.
fn used(subject: &Subject<'_>, keywords: &[&'static str]) -> Option<String> {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for place in subject.schemas() {
        for keyword in keywords.iter().filter(|keyword| place.schema.contains_key(**keyword)) {
            let at = if place.path.is_empty() { "the whole".to_owned() } else { place.path.clone() };
            let places = found.entry(keyword).or_default();
            if !places.contains(&at) {
                places.push(at);
            }
        }
    }
    let list: Vec<String> =
        found.iter().map(|(keyword, places)| format!("\"{keyword}\" ({})", places.join(", "))).collect();
    (!list.is_empty()).then(|| list.join(", "))
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
