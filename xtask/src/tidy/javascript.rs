//! Checks of the JavaScript in `crates/js/js` that need no run: it parses, every name is declared or a known global, and
//! every import is used.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use oxc::{allocator::Allocator, parser::Parser, semantic::SemanticBuilder, span::SourceType};

use crate::{cargo::root, javascript::files_below};

/// Names that the engine, the kernel, Bun or Node provide.
const GLOBALS: &str = "\
    AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array \
    Blob Boolean ByteLengthQueuingStrategy CountQueuingStrategy Buffer Bun DOMException DataView Date Error EvalError Event EventTarget FinalizationRegistry \
    Float16Array Float32Array Float64Array Function Headers Infinity Int16Array Int32Array Int8Array Intl \
    Iterator JSON Map Math MessageChannel MessagePort NaN Number Object Promise Proxy RangeError ReadableStream \
    ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer String Symbol SyntaxError TextDecoder \
    TextEncoder TransformStream TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array \
    Uint8ClampedArray WeakMap WeakRef WeakSet WritableStream arguments atob btoa clearInterval clearTimeout console crypto \
    decodeURIComponent encodeURIComponent eval fetch globalThis isNaN parseFloat parseInt performance process \
    queueMicrotask require setImmediate setInterval setTimeout structuredClone undefined";

pub(crate) fn check() -> Result<Vec<String>> {
    let root = root();
    let mut broken = Vec::new();
    for path in files_below(&root.join("crates/js/js")) {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let name = path.strip_prefix(&root).unwrap_or(&path);
        broken.extend(check_text(name, &text));
    }
    Ok(broken)
}

fn check_text(path: &Path, text: &str) -> Vec<String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
    let line_of = |offset: u32| text[..(offset as usize).min(text.len())].matches('\n').count() + 1;
    let mut broken: Vec<String> =
        parsed.diagnostics.iter().map(|error| format!("{}: {error}", path.display())).collect();
    let built =
        SemanticBuilder::new().with_check_syntax_error(true).with_build_nodes(true).build(&parsed.program);
    broken.extend(built.diagnostics.iter().map(|error| format!("{}: {error}", path.display())));
    let scoping = built.semantic.scoping();
    for (name, references) in scoping.root_unresolved_references() {
        if GLOBALS.split_whitespace().any(|global| global == name.as_str()) {
            continue;
        }
        let at = references
            .first()
            .map_or(0, |id| built.semantic.reference_span(scoping.get_reference(*id)).start);
        broken.push(format!("{}: line {}: {name} is not declared", path.display(), line_of(at)));
    }
    for symbol in scoping.symbol_ids() {
        if scoping.symbol_flags(symbol).is_import() && scoping.symbol_is_unused(symbol) {
            let (name, at) = (scoping.symbol_name(symbol), scoping.symbol_span(symbol).start);
            broken.push(format!("{}: line {}: the import {name} is not used", path.display(), line_of(at)));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str) -> Vec<String> {
        check_text(Path::new("a.js"), text)
    }

    #[test]
    fn declared_names_and_globals_pass() {
        assert_eq!(
            broken("import { a } from \"b\";\nexport const c = (d) => a(d, Math.PI, [...arguments]);\n"),
            [""; 0]
        );
    }

    #[test]
    fn undeclared_names_unused_imports_and_bad_syntax_are_found() {
        assert_eq!(
            broken("const a = 1;\nexport const b = a + colour;"),
            ["a.js: line 2: colour is not declared"]
        );
        assert_eq!(broken("import { x } from \"y\";\n"), ["a.js: line 1: the import x is not used"]);
        assert_eq!(broken("const a = ;").len(), 1);
        assert_eq!(broken("let a = 1; let a = 2;").len(), 1);
    }
}
