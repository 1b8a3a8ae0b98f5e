//! Which packages the host itself serves, and under which of its built-in modules (CONTRACT 1.4).

use crate::builtins;

/// Where the family of hosts that tools are written for publishes its packages.
const FAMILY_SCOPES: &[&str] =
    &["@oh-my-pi/", "@mariozechner/", "@earendil-works/", "@f5-sales-demo/", "@f5xc-salesdemos/"];

/// Libraries by the specifiers that import them.
const LIBRARIES: &[(&str, &str)] = &[
    ("zod", "toolsmith:npm/zod"),
    ("zod/v4", "toolsmith:npm/zod-v4"),
    ("zod/v4/core", "toolsmith:npm/zod-v4-core"),
    ("zod/v4/mini", "toolsmith:npm/zod-mini"),
    ("zod/v4-mini", "toolsmith:npm/zod-mini"),
    ("zod/mini", "toolsmith:npm/zod-mini"),
    ("zod/v3", "toolsmith:npm/zod-v3"),
    ("zod/locales", "toolsmith:npm/zod-locales"),
    ("zod/v4/locales", "toolsmith:npm/zod-locales"),
    ("@sinclair/typebox", "toolsmith:npm/typebox"),
    ("@sinclair/typebox/type", "toolsmith:npm/typebox-type"),
    ("@sinclair/typebox/value", "toolsmith:npm/typebox-value"),
    ("@sinclair/typebox/compiler", "toolsmith:npm/typebox-compiler"),
    ("@sinclair/typebox/errors", "toolsmith:npm/typebox-errors"),
    ("@sinclair/typebox/system", "toolsmith:npm/typebox-system"),
    ("arktype", "toolsmith:npm/arktype"),
    ("bun", "toolsmith:bun/module"),
    ("bun:sqlite", "toolsmith:bun/sqlite"),
];

/// The built-in module behind a bare specifier that no `node_modules` has.
pub(crate) fn served_by_host(specifier: &str) -> Option<&'static str> {
    if let Some((_, module)) = LIBRARIES.iter().find(|(known, _)| *known == specifier) {
        return Some(module);
    }
    let package = FAMILY_SCOPES.iter().find_map(|scope| specifier.strip_prefix(scope))?;
    Some(match package.split('/').next().unwrap_or_default() {
        "pi-tui" => "toolsmith:family/tui",
        "pi-ai" => "toolsmith:family/ai",
        _ => "toolsmith:family/coding_agent",
    })
}

/// Modules of Node that are packages of npm without `node:` before their names.
const ONLY_WITH_PREFIX: &[&str] = &["sqlite", "test"];

/// The built-in module that stands for one of Node's, with or without `node:`.
pub(crate) fn node_module(specifier: &str) -> Option<String> {
    let name = specifier.strip_prefix("node:").unwrap_or(specifier);
    if name == specifier && ONLY_WITH_PREFIX.contains(&name) {
        return None;
    }
    let module = format!("toolsmith:node/{}", name.replace('/', "_"));
    (!name.is_empty() && builtins::bytecode(&module).is_some()).then_some(module)
}
