//! Rules about what a tool declares: its name, the parameters of its functions, its share of every request, and its load time.

use std::time::Duration;

use serde_json::json;
use toolsmith_tool::{ToolSpec, is_provider_name};

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

pub(super) fn hook_arity(subject: &Subject<'_>) -> Vec<Remark> {
    let arity = subject.tool.arity;
    let mut remarks = Vec::new();
    let most = [
        ("execute", arity.execute, 5, "(toolCallId, params, onUpdate, ctx, signal)"),
        ("renderCall", arity.render_call, 3, "(args, options, theme)"),
        ("renderResult", arity.render_result, 4, "(result, options, theme, args)"),
        ("onSession", arity.on_session, 2, "(event, ctx)"),
    ];
    for (name, count, most, given) in most {
        if let Some(count) = count.filter(|count| *count > most) {
            remarks.push(Remark::new(
                format!("{name} declares {count} parameters but receives {most}"),
                format!("It is called as {name}{given}."),
            ));
        }
    }
    let has_parameters = !subject.parameters().is_empty();
    if arity.execute == Some(1) && has_parameters {
        remarks.push(Remark::new(
            "execute declares one parameter, but the first argument is the call id",
            "The arguments come second: execute(toolCallId, params).",
        ));
    }
    remarks
}

pub(super) fn render_call_order(subject: &Subject<'_>) -> Vec<Remark> {
    if subject.tool.arity.render_call == Some(2) {
        return vec![Remark::new(
            "renderCall declares two parameters, so it receives (args, theme)",
            "Declare renderCall(args, options, theme) to receive the options.",
        )];
    }
    Vec::new()
}

/// Approximate bytes per token of schema text.
const BYTES_PER_TOKEN: usize = 4;
/// Maximum number of tokens without a warning.
const MANY_TOKENS: usize = 1500;
/// Maximum load time without a warning.
const SLOW: Duration = Duration::from_secs(1);

/// Estimates the tokens of name, description and schema in every request.
pub(crate) fn tokens(spec: &ToolSpec) -> usize {
    let sent = json!({ "name": spec.name, "description": spec.description, "parameters": *spec.parameters });
    sent.to_string().len().div_ceil(BYTES_PER_TOKEN)
}

pub(super) fn token_cost(subject: &Subject<'_>) -> Vec<Remark> {
    let tokens = tokens(subject.spec());
    if tokens > MANY_TOKENS {
        return vec![Remark::new(
            format!("it uses about {tokens} tokens in every request"),
            "Shorten descriptions, split the tool, or set loadMode: \"discoverable\".",
        )];
    }
    Vec::new()
}

pub(super) fn slow_load(module: &toolsmith_js::LoadedModule) -> Vec<Remark> {
    if module.errors.is_empty() && module.elapsed > SLOW {
        return vec![Remark::new(
            format!("loading took {:.1} s", module.elapsed.as_secs_f64()),
            "Move work from the module's top level and the factory into execute, and import large packages there.",
        )];
    }
    Vec::new()
}
