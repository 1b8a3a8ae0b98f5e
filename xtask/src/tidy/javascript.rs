//! Checks of our JavaScript that need no run: it parses, every name is declared or a known global, everything that is
//! imported or declared is used, and lines are not too long.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use oxc::{
    allocator::Allocator,
    ast::{
        AstKind,
        ast::{BindingPattern, VariableDeclarator},
    },
    parser::Parser,
    semantic::{Semantic, SemanticBuilder},
    span::SourceType,
};

use crate::{cargo::root, javascript::files_below};

/// Names that the engine, the kernel, Bun, Node or (for exported sessions) a browser provide.
const GLOBALS: &str = "\
    AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array \
    Blob Boolean ByteLengthQueuingStrategy CountQueuingStrategy Buffer Bun DOMException DataView Date Error EvalError Event EventTarget FinalizationRegistry \
    Float16Array Float32Array Float64Array Function Headers Infinity Int16Array Int32Array Int8Array Intl \
    Iterator JSON Map Math MessageChannel MessagePort NaN Number Object Promise Proxy RangeError ReadableStream \
    ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer String Symbol SyntaxError TextDecoder \
    TextEncoder TransformStream TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array \
    Uint8ClampedArray WeakMap WeakRef WeakSet WritableStream arguments atob btoa clearInterval clearTimeout console crypto \
    decodeURIComponent document encodeURIComponent eval fetch globalThis isNaN parseFloat parseInt performance process \
    queueMicrotask require setImmediate setInterval setTimeout structuredClone undefined";

/// Folders and files with our JavaScript, which `.ci/javascript` formats.
const SOURCES: &[&str] = &[
    "crates/js/js",
    "crates/js/npm/lazy",
    "crates/session/src/export/page.js",
    "xtask/src/dist/launcher.js",
];
/// Maximum number of columns. The formatter does not break texts and regular expressions.
const MAX_COLUMNS: usize = 140;

pub(crate) fn check() -> Result<Vec<String>> {
    let root = root();
    let mut broken = Vec::new();
    for source in SOURCES.iter().map(|source| root.join(source)) {
        for path in if source.is_dir() { files_below(&source) } else { vec![source] } {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let name = path.strip_prefix(&root).unwrap_or(&path);
            broken.extend(check_text(name, &text));
        }
    }
    Ok(broken)
}

fn check_text(path: &Path, text: &str) -> Vec<String> {
    let mut broken = long_lines(text);
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
    broken.extend(parsed.diagnostics.iter().map(ToString::to_string));
    let built =
        SemanticBuilder::new().with_check_syntax_error(true).with_build_nodes(true).build(&parsed.program);
    broken.extend(built.diagnostics.iter().map(ToString::to_string));
    broken.extend(undeclared(&built.semantic, text));
    broken.extend(unused(&built.semantic, text));
    broken.iter().map(|rule| format!("{}: {rule}", path.display())).collect()
}

fn long_lines(text: &str) -> Vec<String> {
    let columns = text.lines().map(|line| line.chars().count()).enumerate();
    columns
        .filter(|(_, columns)| *columns > MAX_COLUMNS)
        .map(|(number, columns)| format!("line {}: has {columns} columns of {MAX_COLUMNS}", number + 1))
        .collect()
}

fn line_of(text: &str, offset: u32) -> usize {
    text[..(offset as usize).min(text.len())].matches('\n').count() + 1
}

fn undeclared(semantic: &Semantic<'_>, text: &str) -> Vec<String> {
    let scoping = semantic.scoping();
    let mut broken = Vec::new();
    for (name, references) in scoping.root_unresolved_references() {
        if GLOBALS.split_whitespace().any(|global| global == name.as_str()) {
            continue;
        }
        let at = references.first().map_or(0, |id| semantic.reference_span(scoping.get_reference(*id)).start);
        broken.push(format!("line {}: {name} is not declared", line_of(text, at)));
    }
    broken
}

/// Imports, variables, functions and classes that nothing uses. Parameters may be there for their position, and a name
/// that starts with an underscore is left out on purpose.
fn unused(semantic: &Semantic<'_>, text: &str) -> Vec<String> {
    let scoping = semantic.scoping();
    let mut broken = Vec::new();
    for symbol in scoping.symbol_ids().filter(|symbol| scoping.symbol_is_unused(*symbol)) {
        let declaration = scoping.symbol_declaration(symbol);
        let nodes = semantic.nodes();
        let kinds = || std::iter::once(nodes.kind(declaration)).chain(nodes.ancestor_kinds(declaration));
        let is_exported = scoping.symbol_scope_id(symbol) == scoping.root_scope_id()
            && kinds().any(|kind| {
                matches!(kind, AstKind::ExportDeclaration(_) | AstKind::ExportDefaultDeclaration(_))
            });
        let is_optional = kinds().take(1).any(|kind| match kind {
            AstKind::FormalParameter(_) | AstKind::FormalParameterRest(_) | AstKind::CatchParameter(_) => {
                true
            }
            // `const { a, ...rest }` leaves `a` out of the rest.
            AstKind::VariableDeclarator(VariableDeclarator {
                id: BindingPattern::ObjectPattern(names),
                ..
            }) => names.rest.is_some(),
            // The name of an expression is for stack traces.
            AstKind::Function(function) => function.is_expression(),
            AstKind::Class(class) => class.is_expression(),
            _ => false,
        });
        let name = scoping.symbol_name(symbol);
        if is_exported || is_optional || name.starts_with('_') {
            continue;
        }
        let at = scoping.symbol_span(symbol).start;
        broken.push(format!("line {}: {name} is not used", line_of(text, at)));
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
        assert_eq!(broken("import { x } from \"y\";\n"), ["a.js: line 1: x is not used"]);
        assert_eq!(broken("const a = ;").len(), 1);
        assert!(
            broken("let a = 1; let a = 2; f(a);").iter().any(|line| line.contains("already been declared"))
        );
    }

    #[test]
    fn unused_variables_are_found_and_parameters_exports_and_named_expressions_pass() {
        assert_eq!(
            broken("const a = 1;\nexport function f() {\n  const { b } = globalThis;\n}\n"),
            ["a.js: line 1: a is not used", "a.js: line 3: b is not used"]
        );
        let used = "export const a = (_b, c) => { try { a(); } catch (error) {} };\n\
                    export default class D { m = function named() {}; }\nconst { e, ...f } = a;\nexport { f };\n";
        assert_eq!(broken(used), [""; 0]);
    }

    #[test]
    fn long_lines_are_found() {
        let long = format!("export const a = \"{}\";\n", "x".repeat(140));
        assert_eq!(broken(&long), ["a.js: line 1: has 160 columns of 140"]);
    }
}
