//! Packages served by the host, and their built-in modules (CONTRACT 1.4).

use crate::builtins;

/// Package scopes of compatible agents.
const FAMILY_SCOPES: &[&str] =
    &["@oh-my-pi/", "@mariozechner/", "@earendil-works/", "@f5-sales-demo/", "@f5xc-salesdemos/"];

/// Libraries by import specifier.
const LIBRARIES: &[(&str, &str)] = &[
    ("zod", "toolsmith:npm/zod/index"),
    ("zod/v4", "toolsmith:npm/zod/v4/index"),
    ("zod/v4/core", "toolsmith:npm/zod/v4/core/index"),
    ("zod/v4/mini", "toolsmith:npm/zod/mini/index"),
    ("zod/v4-mini", "toolsmith:npm/zod/mini/index"),
    ("zod/mini", "toolsmith:npm/zod/mini/index"),
    ("zod/v3", "toolsmith:npm/zod/v3/index"),
    ("zod/locales", "toolsmith:npm/zod/v4/locales/index.whole"),
    ("zod/v4/locales", "toolsmith:npm/zod/v4/locales/index.whole"),
    ("@sinclair/typebox", "toolsmith:npm/typebox"),
    ("@sinclair/typebox/type", "toolsmith:npm/typebox-type"),
    ("@sinclair/typebox/value", "toolsmith:npm/typebox-value"),
    ("@sinclair/typebox/compiler", "toolsmith:npm/typebox-compiler"),
    ("@sinclair/typebox/errors", "toolsmith:npm/typebox-errors"),
    ("@sinclair/typebox/system", "toolsmith:npm/typebox-system"),
    ("typebox", "toolsmith:npm/typebox1"),
    ("typebox/type", "toolsmith:npm/typebox1-type"),
    ("typebox/value", "toolsmith:npm/typebox1-value"),
    ("typebox/compile", "toolsmith:npm/typebox1-compile"),
    // The compiler's name before 1.0.
    ("typebox/compiler", "toolsmith:npm/typebox-compiler"),
    ("typebox/schema", "toolsmith:npm/typebox1-schema"),
    ("typebox/error", "toolsmith:npm/typebox1-error"),
    ("typebox/format", "toolsmith:npm/typebox1-format"),
    ("typebox/guard", "toolsmith:npm/typebox1-guard"),
    ("typebox/system", "toolsmith:npm/typebox1-system"),
    ("arktype", "toolsmith:npm/arktype"),
    // The compiler's helpers for decorators.
    ("@oxc-project/runtime/helpers/decorate", "toolsmith:module/decorate"),
    ("@oxc-project/runtime/helpers/decorateStandard", "toolsmith:module/decorate_standard"),
    ("@oxc-project/runtime/helpers/decorateParam", "toolsmith:module/decorate_param"),
    ("@oxc-project/runtime/helpers/decorateMetadata", "toolsmith:module/decorate_metadata"),
    ("@opencode-ai/plugin", "toolsmith:adapters/opencode"),
    ("@opencode-ai/plugin/tool", "toolsmith:adapters/opencode"),
    ("toolsmith", "toolsmith:compat/toolsmith"),
    ("bun", "toolsmith:bun/module"),
    ("bun:sqlite", "toolsmith:bun/sqlite"),
];

/// Returns the built-in module for a bare specifier that is in no `node_modules`.
pub(crate) fn served_by_host(specifier: &str) -> Option<&'static str> {
    if let Some((_, module)) = LIBRARIES.iter().find(|(known, _)| *known == specifier) {
        return Some(module);
    }
    let package = FAMILY_SCOPES.iter().find_map(|scope| specifier.strip_prefix(scope))?;
    if package == "pi-utils/chalk" {
        return Some("toolsmith:compat/chalk");
    }
    Some(match package.split('/').next().unwrap_or_default() {
        "pi-tui" => "toolsmith:compat/tui",
        "pi-ai" => "toolsmith:compat/ai",
        "pi-utils" => "toolsmith:compat/environment",
        _ => "toolsmith:compat/coding_agent",
    })
}

/// Node modules that are npm packages without the `node:` prefix.
const ONLY_WITH_PREFIX: &[&str] = &["sqlite", "test"];

/// Returns the built-in replacement of a Node module, with or without `node:`.
pub(crate) fn node_module(specifier: &str) -> Option<String> {
    let name = specifier.strip_prefix("node:").unwrap_or(specifier);
    if name == specifier && ONLY_WITH_PREFIX.contains(&name) {
        return None;
    }
    let module = format!("toolsmith:node/{}", name.replace('/', "_"));
    (!name.is_empty() && builtins::bytecode(&module).is_some()).then_some(module)
}

/// Node modules that the embedded engine has at most as stubs: threads, contexts and engine internals.
const ONLY_ELSEWHERE: &[&str] = &[
    "cluster",
    "dgram",
    "domain",
    "http2",
    "inspector",
    "inspector/promises",
    "repl",
    "sea",
    "test",
    "test/reporters",
    "trace_events",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
];

/// Other Node modules. Those that are not built in exist only in real runtimes.
const NODE_MODULES: &[&str] = &[
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "console",
    "constants",
    "crypto",
    "diagnostics_channel",
    "dns",
    "dns/promises",
    "events",
    "fs",
    "fs/promises",
    "http",
    "https",
    "module",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "readline/promises",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "sys",
    "timers",
    "timers/promises",
    "tls",
    "tty",
    "url",
    "util",
    "util/types",
    "zlib",
];

const BUN_MODULES: &[&str] = &["bun:ffi", "bun:jsc", "bun:main", "bun:sqlite", "bun:test", "bun:wrap"];

/// Returns whether only a real Node or Bun has the complete module.
pub(crate) fn is_only_elsewhere(specifier: &str) -> bool {
    if specifier.starts_with("bun:") {
        return BUN_MODULES.contains(&specifier) && served_by_host(specifier).is_none();
    }
    match specifier.strip_prefix("node:") {
        Some(name) => {
            ONLY_ELSEWHERE.contains(&name)
                || (NODE_MODULES.contains(&name) && node_module(specifier).is_none())
        }
        // Without the prefix these may be packages.
        None => ONLY_ELSEWHERE.contains(&specifier) && !matches!(specifier, "test" | "sea"),
    }
}

/// Returns whether a specifier names a Node or Bun module, built in or not.
pub(crate) fn is_runtime_module(specifier: &str) -> bool {
    // A misspelled name with the prefix is an error, not a module of another runtime.
    let is_node =
        specifier.strip_prefix("node:").is_some_and(|name| NODE_MODULES.contains(&name) || name == "sqlite");
    is_node
        || BUN_MODULES.contains(&specifier)
        || NODE_MODULES.contains(&specifier)
        || is_only_elsewhere(specifier)
}
