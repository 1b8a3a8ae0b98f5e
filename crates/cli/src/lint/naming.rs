//! Rules about names: provider restrictions and conflicts.

use toolsmith_tool::is_provider_name;

use super::{finding::Remark, subject::Subject};

/// Maximum length of a property name for Anthropic.
const MAX_PARAMETER_NAME: usize = 64;

pub(super) fn tool_name(subject: &Subject<'_>) -> Vec<Remark> {
    let name = &subject.spec().name;
    if is_provider_name(name) {
        return Vec::new();
    }
    vec![Remark::new(
        format!("model providers do not accept the name {name:?}; the tool is offered under a mapped name"),
        "Use letters, digits, \"_\" and \"-\", at most 64 characters, and start with a letter.",
    )]
}

pub(super) fn name_clash(subject: &Subject<'_>) -> Vec<Remark> {
    let name = &subject.spec().name;
    subject
        .winner
        .as_ref()
        .map(|winner| {
            Remark::new(
                format!("Tool name \"{name}\" conflicts with existing tool ({winner})"),
                "Rename one of them.",
            )
        })
        .into_iter()
        .collect()
}

pub(super) fn parameter_name(subject: &Subject<'_>) -> Vec<Remark> {
    let is_fine = |name: &str| {
        !name.is_empty()
            && name.len() <= MAX_PARAMETER_NAME
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
    };
    let parameters = subject.parameters();
    let bad = parameters.iter().filter(|parameter| !is_fine(parameter.name));
    bad.map(|parameter| {
        Remark::new(
            format!("parameter {:?} has a name that Anthropic rejects", parameter.path),
            "Use letters, digits, \"_\", \".\" and \"-\", at most 64 characters.",
        )
        .about(parameter.name)
    })
    .collect()
}

pub(super) fn parameter_style(subject: &Subject<'_>) -> Vec<Remark> {
    let parameters = subject.parameters();
    let snake = parameters.iter().find(|parameter| parameter.name.contains('_'));
    let camel = parameters.iter().find(|parameter| {
        parameter.name.starts_with(|c: char| c.is_ascii_lowercase())
            && parameter.name.contains(|c: char| c.is_ascii_uppercase())
    });
    match (snake, camel) {
        (Some(snake), Some(camel)) => vec![
            Remark::new(
                format!("\"{}\" and \"{}\" use two naming styles", snake.path, camel.path),
                "Use one style; models infer names from the others.",
            )
            .about(camel.name),
        ],
        _ => Vec::new(),
    }
}
