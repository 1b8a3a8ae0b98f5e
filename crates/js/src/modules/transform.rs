//! Transformation of an author's source for the engine: TypeScript is compiled, JavaScript stays unchanged. Also
//! determines whether a file is an ES module, and its imports.

use std::{collections::BTreeMap, path::Path};

use oxc::{
    allocator::Allocator,
    ast::{
        AstKind,
        ast::{IdentifierReference, Program, Statement},
    },
    ast_visit::{Visit, walk},
    codegen::{Codegen, CodegenOptions, CodegenReturn},
    diagnostics::OxcDiagnostic,
    parser::{ParseOptions, Parser},
    semantic::SemanticBuilder,
    span::SourceType,
    syntax::module_record::{ExportImportName, ImportImportName, ModuleRecord},
    transformer::{JsxRuntime, Module, TransformOptions, Transformer},
};
use oxc_resolver::{ResolveOptions, Resolver};

use super::{enum_values::oversized_enum, nesting};

/// Maximum file size: compiling a larger one would need more memory than a tool may have.
pub(crate) const MAX_SOURCE_BYTES: usize = 16 << 20;

/// Stack that every thread has left for the compiler.
const OWN_STACK: usize = 1 << 20;
/// Maximum stack for one source.
const MAX_STACK: usize = 1 << 30;

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    EsModule,
    CommonJs,
}

/// A file ready for the engine.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The code, if it differs from the source.
    pub(crate) code: Option<String>,
    pub(crate) format: Format,
    /// Imported names by specifier. A specifier without names is imported as a whole or for its side effects.
    pub(crate) imports: BTreeMap<String, Vec<String>>,
    /// The source alone decided all this; otherwise other files did too.
    pub(crate) is_own: bool,
}

/// A syntax error with its byte position.
#[derive(Debug)]
pub(crate) struct SyntaxProblem {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) offset: usize,
}

/// How to parse a file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Language {
    pub(crate) typescript: bool,
    /// It contains JSX.
    jsx: bool,
    /// The format by extension or package; `None` leaves it to the content.
    pub(crate) format: Option<Format>,
}

impl Language {
    pub(crate) fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let jsx = matches!(extension, "tsx" | "jsx");
        let (typescript, format) = match extension {
            "ts" | "tsx" | "jsx" => (true, None),
            "mts" => (true, Some(Format::EsModule)),
            "cts" => (true, Some(Format::CommonJs)),
            "mjs" => (false, Some(Format::EsModule)),
            "cjs" => (false, Some(Format::CommonJs)),
            _ => (false, None),
        };
        Self { typescript, jsx, format }
    }

    fn source_type(self) -> SourceType {
        // `mjs` parses strictly as a module; CommonJS is detected from the content.
        let base = match (self.typescript, self.jsx) {
            (_, true) => SourceType::tsx(),
            (true, false) => SourceType::ts(),
            (false, false) => SourceType::unambiguous(),
        };
        match self.format {
            Some(Format::CommonJs) => base.with_commonjs(true),
            _ => base,
        }
    }
}

/// Prefix of a CommonJS file when it runs. It is on one line, so that line numbers stay correct.
pub(crate) const COMMON_JS_HEAD: &str = "(function (exports, require, module, __filename, __dirname) { ";

/// Prefix of an ES module that uses `require`, as other runtimes allow.
const REQUIRE_HEAD: &str = "import { createRequire as __createRequire } from \"node:module\"; const require = __createRequire(import.meta.url); ";

/// Returns whether an error is about something other runtimes accept.
fn is_tolerated(diagnostic: &OxcDiagnostic) -> bool {
    diagnostic.message.contains("accessibility modifier cannot be used with a private identifier")
}

/// Returns whether the program uses a `require` that it does not declare.
fn needs_require(program: &Program<'_>) -> bool {
    let analysed = SemanticBuilder::new().build(program);
    let scoping = analysed.semantic.into_scoping();
    scoping.root_unresolved_references().keys().any(|name| name.as_str() == "require")
}

/// Prepares a file.
pub(crate) fn prepare(path: &Path, source: &str) -> Result<Prepared, SyntaxProblem> {
    prepare_as(path, source, None)
}

/// Prepares a file for a given format.
pub(crate) fn prepare_as(
    path: &Path,
    source: &str,
    format: Option<Format>,
) -> Result<Prepared, SyntaxProblem> {
    with_stack(path, source, || compile(path, source, format)).unwrap_or_else(Err)
}

/// Runs work that parses a source, with enough stack for how deeply it is nested.
fn with_stack<R: Send>(
    path: &Path,
    source: &str,
    work: impl FnOnce() -> R + Send,
) -> Result<R, SyntaxProblem> {
    let language = Language::of(path);
    let needed = nesting::stack_bound(source, language.typescript, language.jsx);
    if needed <= OWN_STACK {
        return Ok(work());
    }
    let failed = |message: String| SyntaxProblem { message, help: None, offset: 0 };
    if needed > MAX_STACK {
        return Err(failed("the source is nested too deeply".to_owned()));
    }
    // The system provides memory for the part of a stack that is used.
    let ran = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("compiler".to_owned()).stack_size(OWN_STACK + needed);
        thread.spawn_scoped(scope, work).map(|thread| thread.join())
    });
    match ran {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => Err(failed(format!("the source is nested too deeply for this system: {error}"))),
    }
}

fn compile(path: &Path, source: &str, format: Option<Format>) -> Result<Prepared, SyntaxProblem> {
    let language = Language::of(path);
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, language.source_type())
        .with_options(ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() })
        .parse();
    if let Some(diagnostic) = parsed.diagnostics.errors().find(|error| !is_tolerated(error)) {
        return Err(problem(diagnostic));
    }
    let imports = imports(&parsed.module_record, source);
    let (format, mut is_own) = match format.or(language.format) {
        Some(format) => (format, true),
        None => find_format(path, &parsed.program, &parsed.module_record),
    };
    let uses_require =
        format == Format::EsModule && source.contains("require") && needs_require(&parsed.program);
    let code = if language.typescript {
        let code = emit(&allocator, parsed.program, path, format, false)?.code;
        // A configuration file decides how decorators are called.
        is_own &= !code.contains(DECORATOR_HELPERS);
        Some(if source.contains('@') { with_decorators(path, code) } else { code })
    } else {
        None
    };
    if !uses_require {
        return Ok(Prepared { code, format, imports, is_own });
    }
    // On the first line, so that the others stay where they are.
    let code = code.as_deref().unwrap_or(source);
    let (first, rest) = match code.strip_prefix("#!") {
        Some(rest) => rest.split_once('\n').map_or(("", ""), |(_, rest)| ("\n", rest)),
        None => ("", code),
    };
    Ok(Prepared { code: Some(format!("{REQUIRE_HEAD}{first}{rest}")), format, imports, is_own })
}

/// Beginning of the names of all helpers for decorators.
pub(crate) const DECORATOR_HELPERS: &str = "@oxc-project/runtime/helpers/decorate";
/// Helpers of the compiler for decorators of the older kind; parameters have no others.
const OLDER_DECORATORS: &str = "@oxc-project/runtime/helpers/decorate\"";
const PARAMETER_DECORATORS: &str = "@oxc-project/runtime/helpers/decorateParam\"";
const STANDARD_DECORATORS: &str = "@oxc-project/runtime/helpers/decorateStandard\"";

/// Lets decorators be called by the standard, unless the author's configuration or code asks for the older kind.
fn with_decorators(path: &Path, code: String) -> String {
    let is_standard = code.contains(OLDER_DECORATORS)
        && !code.contains(PARAMETER_DECORATORS)
        && !wants_older_decorators(path);
    if is_standard { code.replace(OLDER_DECORATORS, STANDARD_DECORATORS) } else { code }
}

/// Returns whether the nearest `tsconfig.json` sets `experimentalDecorators`.
fn wants_older_decorators(path: &Path) -> bool {
    let nearest =
        path.ancestors().skip(1).map(|folder| folder.join("tsconfig.json")).find(|file| file.is_file());
    let resolver = Resolver::new(ResolveOptions::default());
    let read = nearest.and_then(|file| resolver.resolve_tsconfig(file).ok());
    read.and_then(|config| config.compiler_options.experimental_decorators).unwrap_or(false)
}

/// Maps a position in the emitted code to the author's source. Lines and columns start at one. It repeats the work of
/// [`prepare`] with a source map: errors are rare, so nobody else pays for the map.
pub(crate) fn original_position(path: &Path, source: &str, line: u32, column: u32) -> Option<(u32, u32)> {
    with_stack(path, source, || find_position(path, source, line, column)).ok().flatten()
}

fn find_position(path: &Path, source: &str, line: u32, column: u32) -> Option<(u32, u32)> {
    let language = Language::of(path);
    let allocator = Allocator::default();
    let head = u32::try_from(COMMON_JS_HEAD.len()).unwrap_or(0);
    if !language.typescript && (line > 1 || column <= head) {
        return Some((line, column));
    }
    let parsed = Parser::new(&allocator, source, language.source_type()).parse();
    let format =
        language.format.unwrap_or_else(|| find_format(path, &parsed.program, &parsed.module_record).0);
    let column = if format == Format::CommonJs && line == 1 { column.saturating_sub(head) } else { column };
    if !language.typescript {
        return Some((line, column));
    }
    let emitted = emit(&allocator, parsed.program, path, format, true).ok()?;
    let map = emitted.map?;
    let table = map.generate_lookup_table();
    let token = map.lookup_token(&table, line.saturating_sub(1), column.saturating_sub(1))?;
    Some((token.get_src_line() + 1, token.get_src_col() + 1))
}

fn emit<'a>(
    allocator: &'a Allocator,
    mut program: Program<'a>,
    path: &Path,
    format: Format,
    with_map: bool,
) -> Result<CodegenReturn<'a>, SyntaxProblem> {
    if let Some(offset) = oversized_enum(&program) {
        let message = "the values of this enum are too long".to_owned();
        return Err(SyntaxProblem { message, help: None, offset });
    }
    let analysed = SemanticBuilder::new().with_excess_capacity(2.0).with_enum_eval(true).build(&program);
    if let Some(diagnostic) = analysed.diagnostics.errors().find(|error| !is_tolerated(error)) {
        return Err(problem(diagnostic));
    }
    let scoping = analysed.semantic.into_scoping();
    let mut options = TransformOptions::default();
    options.decorator.legacy = true;
    // Without a hint in the file, elements are made by whatever it calls React.
    if Language::of(path).jsx && program.source_text.contains("React") {
        options.jsx.runtime = JsxRuntime::Classic;
    }
    if format == Format::CommonJs {
        options.env.module = Module::CommonJS;
    }
    let transformed = Transformer::new(allocator, path, &options).build_with_scoping(scoping, &mut program);
    if let Some(diagnostic) = transformed.diagnostics.errors().next() {
        return Err(problem(diagnostic));
    }
    let options =
        CodegenOptions { source_map_path: with_map.then(|| path.to_path_buf()), ..CodegenOptions::default() };
    Ok(Codegen::new().with_options(options).build(&program))
}

fn problem(diagnostic: &OxcDiagnostic) -> SyntaxProblem {
    SyntaxProblem {
        message: diagnostic.message.to_string(),
        help: diagnostic.help.as_ref().map(ToString::to_string),
        offset: diagnostic.labels.first().map_or(0, |label| label.offset() as usize),
    }
}

fn imports(record: &ModuleRecord<'_>, source: &str) -> BTreeMap<String, Vec<String>> {
    let mut imports: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for specifier in record.requested_modules.keys() {
        imports.entry(specifier.to_string()).or_default();
    }
    // Dynamic imports with literal specifiers.
    for dynamic in &record.dynamic_imports {
        let text = source.get(dynamic.module_request.start as usize..dynamic.module_request.end as usize);
        let literal = text
            .and_then(|text| text.strip_prefix(['"', '\'']))
            .and_then(|text| text.strip_suffix(['"', '\'']));
        if let Some(specifier) = literal {
            imports.entry(specifier.to_owned()).or_default();
        }
    }
    for entry in record.import_entries.iter().filter(|entry| !entry.is_type) {
        let names = imports.entry(entry.module_request.name.to_string()).or_default();
        match &entry.import_name {
            ImportImportName::Name(name) => names.push(name.name.to_string()),
            ImportImportName::Default(_) => names.push("default".to_owned()),
            ImportImportName::NamespaceObject => {}
        }
    }
    for entry in record.indirect_export_entries.iter().filter(|entry| !entry.is_type) {
        if let (Some(request), ExportImportName::Name(name)) = (&entry.module_request, &entry.import_name) {
            imports.entry(request.name.to_string()).or_default().push(name.name.to_string());
        }
    }
    imports
}

/// Returns the format, and whether the file alone decided it. A file without imports and exports is CommonJS if it uses
/// CommonJS variables, or if its package says so.
fn find_format(path: &Path, program: &Program<'_>, record: &ModuleRecord<'_>) -> (Format, bool) {
    let assigns_export = program.body.iter().any(|statement| {
        matches!(statement, Statement::TSExportAssignment(_))
            || matches!(statement, Statement::TSImportEqualsDeclaration(_))
    });
    if assigns_export {
        return (Format::CommonJs, true);
    }
    if record.has_module_syntax {
        return (Format::EsModule, true);
    }
    let mut finder = CommonJsNames { found: false };
    finder.visit_program(program);
    if finder.found {
        return (Format::CommonJs, true);
    }
    (if is_in_common_js_package(path) { Format::CommonJs } else { Format::EsModule }, false)
}

/// Returns whether a file of an installed package is CommonJS by its manifest. An author's own file is classified by
/// its content alone.
fn is_in_common_js_package(path: &Path) -> bool {
    if !path.components().any(|part| part.as_os_str() == "node_modules") {
        return false;
    }
    let manifest =
        path.ancestors().skip(1).find_map(|folder| std::fs::read(folder.join("package.json")).ok());
    let manifest: Option<serde_json::Value> = manifest.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    manifest.and_then(|manifest| Some(manifest.get("type")?.as_str()? != "module")).unwrap_or(true)
}

struct CommonJsNames {
    found: bool,
}

impl<'a> Visit<'a> for CommonJsNames {
    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        self.found |=
            matches!(identifier.name.as_str(), "module" | "exports" | "require" | "__dirname" | "__filename");
    }

    fn visit_statement(&mut self, statement: &Statement<'a>) {
        if !self.found {
            walk::walk_statement(self, statement);
        }
    }

    fn enter_node(&mut self, _: AstKind<'a>) {}
}

/// Returns line and column of a byte offset, starting at one.
pub(crate) fn line_and_column(source: &str, offset: usize) -> (u32, u32) {
    let offset = (0..=offset.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0);
    let before = &source[..offset];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |text| text.chars().count()) + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}
