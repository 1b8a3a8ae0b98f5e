//! Rules about what the model reads: descriptions of the tool and its parameters.

use super::{
    finding::Remark,
    subject::{Parameter, Subject},
};

/// Shorter descriptions rarely say when to use a tool.
const SHORT: usize = 20;
/// OpenAI rejects longer ones.
const LONG: usize = 1024;

pub(super) fn description_missing(subject: &Subject<'_>) -> Vec<Remark> {
    if subject.spec().description.trim().is_empty() {
        return vec![Remark::new(
            "the description is empty",
            "State what it does and when to use it; the model sees nothing else.",
        )];
    }
    Vec::new()
}

pub(super) fn description_short(subject: &Subject<'_>) -> Vec<Remark> {
    let description = subject.spec().description.trim();
    if (1..SHORT).contains(&description.chars().count()) {
        return vec![Remark::new(
            format!("the description is very short: {description:?}"),
            "State what it does and when to use it.",
        )];
    }
    Vec::new()
}

pub(super) fn description_long(subject: &Subject<'_>) -> Vec<Remark> {
    let chars = subject.spec().description.chars().count();
    if chars > LONG {
        return vec![Remark::new(
            format!("the description has {chars} characters; OpenAI accepts at most {LONG}"),
            "Keep what helps the model to choose the tool; move the rest to the parameters.",
        )];
    }
    Vec::new()
}

pub(super) fn parameter_description(subject: &Subject<'_>) -> Vec<Remark> {
    let parameters = subject.parameters();
    let bare = parameters.iter().filter(|parameter| {
        parameter.text("description").is_none_or(|text| text.trim().is_empty()) && !parameter.has("$ref")
    });
    bare.map(|parameter| {
        Remark::new(
            format!("parameter \"{}\" has no description", parameter.path),
            "Add one: .describe(\"…\") in zod, { description: \"…\" } in TypeBox and JSON Schema.",
        )
        .about(parameter.name)
    })
    .collect()
}

pub(super) fn parameter_type(subject: &Subject<'_>) -> Vec<Remark> {
    let says_type = |parameter: &Parameter<'_>| {
        ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "not"]
            .iter()
            .any(|key| parameter.has(key))
    };
    let parameters = subject.parameters();
    let untyped = parameters.iter().filter(|parameter| !says_type(parameter));
    untyped
        .map(|parameter| {
            Remark::new(
                format!("parameter \"{}\" takes anything", parameter.path),
                "Add a type; otherwise models guess.",
            )
            .about(parameter.name)
        })
        .collect()
}

/// Phrases that document what happens if an optional parameter is omitted.
const SAYS_DEFAULT: &[&str] = &[
    "default",
    "if ",
    "unless",
    "omit",
    "without",
    "otherwise",
    "optional",
    "else",
    "left out",
    "not given",
    "absent",
    "none",
];

pub(super) fn optional_without_default(subject: &Subject<'_>) -> Vec<Remark> {
    let parameters = subject.parameters();
    let unsaid = parameters.iter().filter(|parameter| {
        let description = parameter.text("description").unwrap_or_default().to_lowercase();
        !parameter.is_required
            && !parameter.has("default")
            // A parameter without a description has its own finding.
            && !description.trim().is_empty()
            && !SAYS_DEFAULT.iter().any(|word| description.contains(word))
    });
    unsaid
        .map(|parameter| {
            Remark::new(
                format!("parameter \"{}\" is optional but has no documented default", parameter.path),
                "Add a default, or document it in the description.",
            )
            .about(parameter.name)
        })
        .collect()
}

/// Phrases that introduce a closed list of values.
const SAYS_LIST: &[&str] =
    &["one of", "either ", "possible values", "allowed values", "must be \"", "can be \""];

pub(super) fn enum_hint(subject: &Subject<'_>) -> Vec<Remark> {
    let parameters = subject.parameters();
    let open = parameters.iter().filter(|parameter| {
        let description = parameter.text("description").unwrap_or_default().to_lowercase();
        parameter.text("type") == Some("string")
            && !["enum", "const", "pattern", "format"].iter().any(|keyword| parameter.has(keyword))
            && SAYS_LIST.iter().any(|words| description.contains(words))
    });
    open.map(|parameter| {
        Remark::new(
            format!("parameter \"{}\" describes its allowed values in words", parameter.path),
            "Use an enum: z.enum([…]), StringEnum([…]), or \"enum\" in JSON Schema.",
        )
        .about(parameter.name)
    })
    .collect()
}
