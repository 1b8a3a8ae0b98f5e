//! Rules about a module's source text: what running its factory does not show.

use toolsmith_js::{EngineKind, LoadedModule};

use super::finding::Remark;

/// Names that authors give to the arguments of a call, which come second.
const ARGUMENTS: &[&str] = &["params", "args", "arguments", "input", "parameters", "options"];

fn text(module: &LoadedModule) -> String {
    std::fs::read_to_string(&module.path).unwrap_or_default()
}

/// The text between the parentheses after each occurrence of a name that is not part of a longer one.
fn lists<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(name).filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|before| before.is_alphanumeric() || before == '_' || before == '$') {
            return None;
        }
        let rest = text[at + name.len()..].trim_start();
        // A property: `execute: async (…)` or `execute: function (…)`.
        let rest = match rest.strip_prefix(':') {
            Some(value) => {
                let value = value.trim_start();
                let value = value.strip_prefix("async").unwrap_or(value).trim_start();
                value.strip_prefix("function").unwrap_or(value).trim_start()
            }
            None => rest,
        };
        rest.strip_prefix('(')
    })
}

pub(super) fn argument_order(module: &LoadedModule) -> Vec<Remark> {
    let text = text(module);
    let wrong = lists(&text, "execute").any(|list| {
        let first = list.trim_start();
        let name: String =
            first.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
        // Only a declaration has a second parameter that looks like the call's id.
        let second: String =
            first.split_once(',').map(|(_, rest)| rest.trim_start()).unwrap_or_default().to_lowercase();
        let is_id = ["id", "callid", "toolcallid", "_id", "_toolcallid", "toolid"].iter().any(|id| {
            second.strip_prefix(id).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
        });
        (ARGUMENTS.contains(&name.as_str()) || first.starts_with('{')) && is_id
    });
    if !wrong || module.tools.is_empty() {
        return Vec::new();
    }
    vec![Remark::new(
        "execute declares the arguments before the call id",
        "It is called as execute(toolCallId, params, onUpdate, ctx, signal).",
    )]
}

/// Functions whose first or second argument is a locale.
const LOCALE_FUNCTIONS: &[&str] = &[
    "toLocaleString",
    "toLocaleDateString",
    "toLocaleTimeString",
    "localeCompare",
    "NumberFormat",
    "DateTimeFormat",
    "Collator",
    "PluralRules",
    "RelativeTimeFormat",
    "ListFormat",
    "DisplayNames",
    "Segmenter",
];

pub(super) fn locale(module: &LoadedModule) -> Vec<Remark> {
    if module.engine != EngineKind::Embedded {
        return Vec::new();
    }
    let text = text(module);
    let mut tags: Vec<String> = Vec::new();
    for name in LOCALE_FUNCTIONS {
        for list in lists(&text, name) {
            let locale = if *name == "localeCompare" {
                list.split_once(',').map_or("", |(_, rest)| rest)
            } else {
                list
            };
            let Some(tag) = literal(locale.trim_start()) else { continue };
            if !toolsmith_js::supports_locale(tag) && !tags.iter().any(|known| known == tag) {
                tags.push(tag.to_owned());
            }
        }
    }
    let remark = |tag: String| {
        Remark::new(
            format!("the embedded engine has no data for the locale \"{tag}\""),
            "Set engine = \"bun\" for this tool, or use another locale.",
        )
    };
    tags.into_iter().map(remark).collect()
}

/// The string literal at the beginning of a text.
fn literal(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let (tag, _) = text[1..].split_once(quote)?;
    (!tag.is_empty() && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')).then_some(tag)
}
