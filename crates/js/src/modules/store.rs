//! The modules of one runtime: the engine's resolver and loader, and the sources for error messages.

#![expect(
    unsafe_code,
    reason = "bytecode and handles to modules are beyond what the engine's safe interface covers"
)]

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use rquickjs::{
    Ctx, Error, Exception, Module, Object, Result, WriteOptions,
    function::Func,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
};
use toolsmith_host::changes::content_hash;

use super::{
    packages::{is_only_elsewhere, served_by_host},
    resolve::{FileResolver, NotFound, Target},
    transform::{self, Format, MAX_SOURCE_BYTES, Prepared, SyntaxProblem, line_and_column},
};
use crate::{
    builtins,
    compiled::{CompiledFile, CompiledFiles},
    definitions::Observed,
    instance::Frames,
    module_request::ImportGate,
    ops::surroundings_were_read,
    stop::StopFlags,
};

/// Suffix of the name of a file imported as text.
const AS_TEXT: &str = "?text";
/// Prefix of a module that is not built in.
const NOTHING: &str = "toolsmith:adapters/nothing";
const STAND_IN: &str = "toolsmith:stand-in/";
/// The module that runs CommonJS files.
pub(super) const COMMON_JS: &str = "toolsmith:module/common_js";

/// Text that indicates the use of WebAssembly.
const WEB_ASSEMBLY: &[&str] =
    &["WebAssembly.instantiate", "WebAssembly.compile", "new WebAssembly.Module", "new WebAssembly.Instance"];

/// A loaded file.
struct LoadedFile {
    source: Arc<str>,
    imports: BTreeMap<String, Vec<String>>,
    format: Format,
    /// The code to run, until it does.
    code: Option<String>,
    /// The source alone decided what the code is, so it can be kept under the source's hash.
    is_own: bool,
    compiled: Option<CompiledFile>,
}

/// A built-in module with additional names, which load as stubs (CONTRACT 1.4).
struct StandIn {
    module: String,
    package: String,
    missing: Vec<String>,
}

/// The modules of one runtime, shared by the engine's two hooks and the host functions.
pub(crate) struct ModuleStore {
    stop: Arc<StopFlags>,
    /// Which files may run; all of them without one.
    gate: Option<ImportGate>,
    files: RefCell<HashMap<String, LoadedFile>>,
    compiled: CompiledFiles,
    stand_ins: RefCell<Vec<StandIn>>,
    held: RefCell<HashMap<String, HeldModule>>,
    resolver: RefCell<Option<Rc<FileResolver>>>,
    /// The first feature that was requested and this engine lacks.
    needs: RefCell<Option<String>>,
    /// Relative imports that were not found: a file created there would be loaded next time.
    missed: RefCell<Vec<PathBuf>>,
    /// Files and decisions that resolution and the gate depended on.
    observed: RefCell<Observed>,
}

/// A loaded module, kept for later evaluation or for its exports.
///
/// The handle refers to its context, so the store is emptied before the context is dropped.
#[derive(Clone)]
struct HeldModule(Module<'static, Declared>);

impl HeldModule {
    fn new(module: Module<'_, Declared>) -> Self {
        // SAFETY: only the lifetime changes. `get` gives it back the lifetime of a borrowed context of the same runtime,
        // and the store is emptied while that context is still there.
        Self(unsafe { std::mem::transmute::<Module<'_, Declared>, Module<'static, Declared>>(module) })
    }

    fn get<'js>(&self, _ctx: &Ctx<'js>) -> Module<'js, Declared> {
        // SAFETY: as above; a runtime here has one context, so `_ctx` is the module's own.
        unsafe { std::mem::transmute::<Module<'static, Declared>, Module<'js, Declared>>(self.0.clone()) }
    }
}

impl ModuleStore {
    pub(crate) fn new(stop: Arc<StopFlags>, gate: Option<ImportGate>, compiled: CompiledFiles) -> Rc<Self> {
        Rc::new(Self {
            stop,
            gate,
            compiled,
            files: RefCell::default(),
            stand_ins: RefCell::default(),
            held: RefCell::default(),
            resolver: RefCell::default(),
            needs: RefCell::default(),
            missed: RefCell::default(),
            observed: RefCell::default(),
        })
    }

    pub(super) fn stop(&self) -> &StopFlags {
        &self.stop
    }

    /// Returns the compiled code of its files.
    pub(crate) fn compiled(&self) -> &CompiledFiles {
        &self.compiled
    }

    /// Drops everything that refers to the context.
    pub(crate) fn clear(&self) {
        self.held.borrow_mut().clear();
    }

    /// Returns the source of a loaded file by its name in the engine.
    pub(crate) fn source(&self, name: &str) -> Option<Arc<str>> {
        self.files.borrow().get(name).map(|file| Arc::clone(&file.source))
    }

    /// Returns the feature the module needs and this engine lacks.
    pub(crate) fn needs(&self) -> Option<String> {
        self.needs.borrow().clone()
    }

    /// Clears it before another module is loaded.
    pub(crate) fn forget_needs(&self) {
        self.needs.borrow_mut().take();
    }

    /// Records a needed feature.
    pub(super) fn note_need(&self, what: String) {
        self.needs.borrow_mut().get_or_insert(what);
    }

    /// Returns all loaded files.
    pub(crate) fn loaded_files(&self) -> Vec<PathBuf> {
        let files = self.files.borrow();
        let mut all: Vec<PathBuf> =
            files.keys().map(|name| PathBuf::from(name.trim_end_matches(AS_TEXT))).collect();
        all.extend(self.missed.borrow().iter().cloned());
        all
    }

    /// Returns everything the loads of this runtime depended on so far.
    pub(crate) fn observed(&self) -> Observed {
        let mut observed = self.observed.borrow().clone();
        let files = self.files.borrow();
        let sources = files
            .iter()
            .map(|(name, file)| (PathBuf::from(name.trim_end_matches(AS_TEXT)), Arc::clone(&file.source)));
        observed.sources = sources.collect();
        observed.missing.extend(self.missed.borrow().iter().cloned());
        observed.read_surroundings |= surroundings_were_read();
        observed
    }

    /// Records a file that was read beside the modules.
    pub(crate) fn note_consulted(&self, file: &Path) {
        self.observed.borrow_mut().consulted.insert(file.to_path_buf());
    }

    pub(super) fn resolver(&self) -> Rc<FileResolver> {
        Rc::clone(self.resolver.borrow_mut().get_or_insert_with(|| Rc::new(FileResolver::new())))
    }

    /// Resolves for `require` and `import.meta.resolve`; throws if nothing is found.
    pub(crate) fn resolve_from(
        &self,
        ctx: &Ctx<'_>,
        importer: &str,
        specifier: &str,
        by_require: bool,
    ) -> Result<Target> {
        let importer = importer.trim_end_matches(AS_TEXT);
        self.resolve_file(Path::new(importer), specifier, by_require)
            .map_err(|missing| throw_not_found(ctx, &missing))
    }

    /// Resolves a specifier. Where the gate refuses the installed copy of a package that the host serves, it is the host's.
    pub(super) fn resolve_file(
        &self,
        importer: &Path,
        specifier: &str,
        by_require: bool,
    ) -> std::result::Result<Target, NotFound> {
        let resolved =
            self.resolver().resolve(importer, specifier, by_require, &mut self.observed.borrow_mut());
        if resolved.is_err() && specifier.starts_with('.') {
            let folder = importer.parent().unwrap_or(Path::new("/"));
            self.missed.borrow_mut().push(lexical(&folder.join(specifier)));
        }
        let target = resolved?;
        Ok(match (&target, served_by_host(specifier)) {
            // A package is installed in `node_modules`. A project that has the package's name is not the package.
            (Target::File(file), Some(module)) if !self.may_run(file) || !is_installed(file) => {
                Target::Builtin(module.to_owned())
            }
            _ => target,
        })
    }

    /// Returns whether a file may run in this runtime.
    fn may_run(&self, file: &Path) -> bool {
        let Some(gate) = &self.gate else { return true };
        let allowed = gate.allows(file);
        self.observed.borrow_mut().decisions.insert(file.to_path_buf(), allowed);
        allowed
    }

    /// Loads a built-in module, evaluates it if it was not, and gives its exports.
    pub(crate) fn builtin_exports<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>> {
        let known = self.held.borrow().get(name).cloned();
        let module = match known {
            Some(held) => held.get(ctx),
            None => self.load_builtin(ctx, name)?,
        };
        let (module, evaluated) = module.eval()?;
        // Built-in modules have no top-level await, so this only propagates an error.
        evaluated.result::<()>().transpose()?;
        module.namespace()
    }

    /// Returns the exports of an ES module for `require`. It must evaluate synchronously.
    pub(crate) fn module_exports<'js>(self: &Rc<Self>, ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>> {
        let known = self.held.borrow().get(name).cloned();
        let module = match known {
            Some(held) => held.get(ctx),
            None => self.load_file(ctx, name)?,
        };
        let (module, evaluated) = module.eval()?;
        if evaluated.result::<()>().transpose()?.is_none() {
            return Err(throw_with(
                ctx,
                "Error",
                "require() cannot load an ES module with top-level await",
                |object| object.set("code", "ERR_REQUIRE_ASYNC_MODULE"),
            ));
        }
        module.namespace()
    }

    fn load_builtin<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
        let Some(code) = builtins::bytecode(name) else {
            return Err(Exception::throw_reference(ctx, &format!("unknown built-in module {name}")));
        };
        // SAFETY: the bytecode was made by the same version of the engine, in `build.rs`.
        let module = self.stop.while_compiling(|| unsafe { Module::load(ctx.clone(), code) })?;
        self.held.borrow_mut().insert(name.to_owned(), HeldModule::new(module.clone()));
        Ok(module)
    }

    /// Returns a built-in module for an importer: itself, or a proxy that also has the names it lacks.
    fn builtin_for(&self, ctx: &Ctx<'_>, importer: &str, specifier: &str, module: String) -> Result<String> {
        let wanted = match self.files.borrow().get(importer).and_then(|file| file.imports.get(specifier)) {
            Some(names) if !names.is_empty() => names.clone(),
            _ => return Ok(module),
        };
        let exports = self.builtin_exports(ctx, &module)?;
        let mut missing = Vec::new();
        for name in wanted {
            if !exports.contains_key(name.as_str())? && !missing.contains(&name) {
                missing.push(name);
            }
        }
        if missing.is_empty() {
            return Ok(module);
        }
        let mut stand_ins = self.stand_ins.borrow_mut();
        stand_ins.push(StandIn { module, package: specifier.to_owned(), missing });
        Ok(format!("{STAND_IN}{}", stand_ins.len() - 1))
    }

    fn resolve_name(&self, ctx: &Ctx<'_>, base: &str, name: &str, as_text: bool) -> Result<String> {
        // The kernel imports tools by path; other built-in modules and the code generated for CommonJS files import
        // built-in modules.
        if base.starts_with("toolsmith:") || name == COMMON_JS {
            return Ok(builtins::beside(base, name).unwrap_or_else(|| name.to_owned()));
        }
        self.note_import(base, name);
        match self.resolve_from(ctx, base, name, false)? {
            Target::Elsewhere => self.builtin_for(ctx, base, name, NOTHING.to_owned()),
            Target::Builtin(module) => self.builtin_for(ctx, base, name, module),
            Target::File(path) => {
                let name = path.to_string_lossy().into_owned();
                // Also checked before the file is run. Here the error names the importer.
                if !as_text && !is_json(&path) && !self.may_run(&path) {
                    return Err(throw_untrusted(ctx, &path, Some(base)));
                }
                Ok(if as_text { name + AS_TEXT } else { name })
            }
        }
    }

    /// Records an import that only Node or Bun can serve. Packages may import such modules optionally; an author
    /// imports them because they are needed.
    pub(crate) fn note_import(&self, importer: &str, specifier: &str) {
        if is_only_elsewhere(specifier) && !importer.contains("/node_modules/") {
            self.note_need(format!("it imports {specifier}"));
        }
    }

    fn load_stand_in<'js>(&self, ctx: &Ctx<'js>, name: &str, index: &str) -> Result<Module<'js, Declared>> {
        let mut code = String::new();
        {
            let stand_ins = self.stand_ins.borrow();
            let stand_in = index.parse().ok().and_then(|index: usize| stand_ins.get(index));
            let Some(StandIn { module, package, missing }) = stand_in else {
                return Err(Exception::throw_reference(ctx, name));
            };
            code.push_str(&format!(
                "export * from {module:?};\nimport {{ missing }} from \"toolsmith:adapters/missing\";\n"
            ));
            if !missing.iter().any(|name| name == "default") {
                code.push_str(&format!(
                    "import * as all from {module:?};\nexport default all.default ?? all;\n"
                ));
            }
            for (number, name) in missing.iter().enumerate() {
                code.push_str(&format!(
                    "const m{number} = missing({package:?}, {name:?});\nexport {{ m{number} as {name:?} }};\n"
                ));
            }
        }
        self.declare(ctx, name, code)
    }

    pub(super) fn declare<'js>(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        code: impl Into<Vec<u8>>,
    ) -> Result<Module<'js, Declared>> {
        self.stop.while_compiling(|| Module::declare(ctx.clone(), name, code))
    }

    fn load_file<'js>(self: &Rc<Self>, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
        if let Some(path) = name.strip_suffix(AS_TEXT) {
            let source = read_source(ctx, Path::new(path))?;
            let code = format!("export default {};", js_string(&source));
            self.remember(name, source, BTreeMap::new());
            return self.declare(ctx, name, code);
        }
        let path = Path::new(name);
        if is_json(path) {
            let source = read_source(ctx, path)?;
            let code = format!("export default JSON.parse({});", js_string(&source));
            self.remember(name, source, BTreeMap::new());
            return self.declare(ctx, name, code);
        }
        if self.prepare(ctx, name)? == Format::CommonJs {
            return self.load_common_js(ctx, name);
        }
        let (module, uses_meta) = match self.load_compiled(ctx, name) {
            Some(loaded) => loaded,
            None => self.compile(ctx, name)?,
        };
        self.held.borrow_mut().insert(name.to_owned(), HeldModule::new(module.clone()));
        if uses_meta {
            self.fill_meta(&module.meta()?, name)?;
        }
        Ok(module)
    }

    /// Loads a module from its compiled code; also returns whether it uses `import.meta`.
    fn load_compiled<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Option<(Module<'js, Declared>, bool)> {
        let CompiledFile { code, uses_meta, .. } = self.files.borrow().get(name)?.compiled.clone()?;
        // SAFETY: this build of the program wrote the code for this file, as its seal shows.
        let loaded = self.stop.while_compiling(|| unsafe { Module::load(ctx.clone(), &code) });
        if loaded.is_err() {
            drop(ctx.catch());
            self.forget_compiled(name);
        }
        Some((loaded.ok()?, uses_meta))
    }

    /// Compiles a module; also returns whether it uses `import.meta`.
    fn compile<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<(Module<'js, Declared>, bool)> {
        let (code, source) = self.take_code(ctx, name)?;
        // Only the file's own text can mention it, and most do not; or a prefix that was added to it.
        let names_meta = |text: &str| text.contains("import") && text.contains("meta");
        let uses_meta =
            names_meta(&source) || code.as_deref().is_some_and(|code| code.contains("import.meta.url"));
        let module = match code {
            Some(code) => self.declare(ctx, name, code)?,
            None => self.declare(ctx, name, source.as_bytes())?,
        };
        if self.compiled.is_on()
            && let Ok(code) = self.stop.while_compiling(|| module.write(WriteOptions::default()))
        {
            self.keep_compiled(name, code, uses_meta);
        }
        Ok((module, uses_meta))
    }

    /// Keeps the compiled code of a file, if its source alone decided it.
    pub(super) fn keep_compiled(&self, name: &str, code: Vec<u8>, uses_meta: bool) {
        let files = self.files.borrow();
        let Some(file) = files.get(name).filter(|file| file.is_own) else { return };
        let hash = content_hash(file.source.as_bytes()).to_string();
        let (format, imports) = (file.format, file.imports.clone());
        let (name, code) = (name.to_owned(), Rc::from(code));
        self.compiled.add(CompiledFile { name, hash, format, uses_meta, imports, code });
    }

    /// Returns the compiled code of a prepared file.
    pub(super) fn compiled_code(&self, name: &str) -> Option<Rc<[u8]>> {
        Some(Rc::clone(&self.files.borrow().get(name)?.compiled.as_ref()?.code))
    }

    /// Has a file compiled again whose code the engine did not accept.
    pub(super) fn forget_compiled(&self, name: &str) {
        self.compiled.forget(name);
        self.files.borrow_mut().remove(name);
    }

    fn remember(&self, name: &str, source: Arc<str>, imports: BTreeMap<String, Vec<String>>) {
        self.remember_as(name, source, imports, Format::EsModule);
    }

    pub(super) fn remember_as(
        &self,
        name: &str,
        source: Arc<str>,
        imports: BTreeMap<String, Vec<String>>,
        format: Format,
    ) {
        let file = LoadedFile { source, imports, format, code: None, is_own: false, compiled: None };
        self.files.borrow_mut().insert(name.to_owned(), file);
    }

    /// Returns whether a file belongs to a client for HTTP that its only importer does not use unless asked to: `cheerio`
    /// imports `undici`, which has a parser in WebAssembly, for one function that reads an address.
    fn is_unused_client(&self, name: &str) -> bool {
        let is_client = |import: &String| import == "undici" || import.starts_with("undici/");
        let files = self.files.borrow();
        let mut importers = files
            .iter()
            .filter(|(_, file)| file.imports.keys().any(is_client))
            .filter(|(importer, _)| !importer.contains("/node_modules/undici/"))
            .peekable();
        name.contains("/node_modules/undici/")
            && importers.peek().is_some()
            && importers.all(|(importer, _)| importer.contains("/node_modules/cheerio/"))
    }

    /// Reads and classifies a file, once.
    pub(crate) fn prepare(&self, ctx: &Ctx<'_>, name: &str) -> Result<Format> {
        if let Some(file) = self.files.borrow().get(name) {
            return Ok(file.format);
        }
        let path = Path::new(name);
        // Every file that runs is prepared first: imports, `require`, dynamic imports and native addons.
        if !self.may_run(path) {
            return Err(throw_untrusted(ctx, path, None));
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("node") => return Err(self.throw_native(ctx, name, "a native addon")),
            Some("wasm") => return Err(self.throw_native(ctx, name, "WebAssembly")),
            _ => {}
        }
        let source = read_source(ctx, path)?;
        self.observed.borrow_mut().note_manifests(path);
        if WEB_ASSEMBLY.iter().any(|part| source.contains(part)) && !self.is_unused_client(name) {
            self.note_need(format!("{name} uses WebAssembly"));
        }
        if let Some(compiled) = self.compiled.find(name, &source) {
            let (format, imports) = (compiled.format, compiled.imports.clone());
            let file =
                LoadedFile { source, imports, format, code: None, is_own: true, compiled: Some(compiled) };
            self.files.borrow_mut().insert(name.to_owned(), file);
            return Ok(format);
        }
        let Prepared { code, format, imports, is_own } = transform::prepare(path, &source)
            .map_err(|problem| throw_syntax(ctx, name, &source, &problem))?;
        // A `tsconfig.json`, with all that it extends, decided how they are called.
        if code.as_ref().is_some_and(|code| code.contains(transform::DECORATOR_HELPERS)) {
            self.observed.borrow_mut().read_surroundings = true;
        }
        let file = LoadedFile { source, imports, format, code, is_own, compiled: None };
        self.files.borrow_mut().insert(name.to_owned(), file);
        Ok(format)
    }

    /// Returns the code to run for a prepared file, if it differs from the source.
    pub(super) fn take_code(&self, ctx: &Ctx<'_>, name: &str) -> Result<(Option<String>, Arc<str>)> {
        self.prepare(ctx, name)?;
        if let Some(file) = self.files.borrow_mut().get_mut(name) {
            let is_typescript = transform::Language::of(Path::new(name)).typescript;
            match file.code.take() {
                // It runs again after its entry was removed from `require.cache`.
                None if is_typescript => {}
                code => return Ok((code, Arc::clone(&file.source))),
            }
        }
        self.files.borrow_mut().remove(name);
        self.prepare(ctx, name)?;
        let mut files = self.files.borrow_mut();
        let file = files.get_mut(name).ok_or(Error::Unknown)?;
        Ok((file.code.take(), Arc::clone(&file.source)))
    }

    fn throw_native(&self, ctx: &Ctx<'_>, name: &str, what: &str) -> Error {
        self.note_need(format!("{name} is {what}"));
        throw_native(ctx, name, what)
    }

    fn fill_meta<'js>(self: &Rc<Self>, meta: &Object<'js>, name: &str) -> Result<()> {
        let path = Path::new(name);
        let folder = path.parent().unwrap_or(Path::new("/")).to_string_lossy().into_owned();
        meta.set("url", file_url(path))?;
        meta.set("filename", name)?;
        meta.set("path", name)?;
        meta.set("file", path.file_name().map(|file| file.to_string_lossy().into_owned()))?;
        meta.set("dirname", folder.as_str())?;
        meta.set("dir", folder.as_str())?;
        meta.set("main", false)?;
        let (store, importer) = (Rc::downgrade(self), name.to_owned());
        let resolve = move |ctx: Ctx<'js>, specifier: String| -> Result<String> {
            let Some(store) = store.upgrade() else {
                return Err(Error::Unknown);
            };
            Ok(match store.resolve_from(&ctx, &importer, &specifier, false)? {
                Target::File(path) => file_url(&path),
                Target::Builtin(_) | Target::Elsewhere => specifier,
            })
        };
        meta.set("resolve", Func::from(resolve))
    }
}

/// The engine's resolver hook.
pub(crate) struct ResolveHook(pub(crate) Rc<ModuleStore>);

impl Resolver for ResolveHook {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        let as_text = attributes
            .is_some_and(|attributes| attributes.get_type().ok().flatten().as_deref() == Some("text"));
        self.0.resolve_name(ctx, base, name, as_text)
    }
}

/// The engine's loader hook.
pub(crate) struct LoadHook(pub(crate) Rc<ModuleStore>);

impl Loader for LoadHook {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        if let Some(index) = name.strip_prefix(STAND_IN) {
            return self.0.load_stand_in(ctx, name, index);
        }
        if name.starts_with("toolsmith:") {
            return self.0.load_builtin(ctx, name);
        }
        Frames::enter_import(ctx);
        self.0.load_file(ctx, name)
    }
}

impl ModuleStore {
    /// Returns the two hooks for the engine.
    pub(crate) fn hooks(self: &Rc<Self>) -> (ResolveHook, LoadHook) {
        (ResolveHook(Rc::clone(self)), LoadHook(Rc::clone(self)))
    }
}

fn read_source(ctx: &Ctx<'_>, path: &Path) -> Result<Arc<str>> {
    let bytes = fs::read(path).map_err(|error| {
        throw_with(ctx, "Error", &format!("Cannot read {}: {error}", path.display()), |object| {
            object.set("fileName", path.to_string_lossy().into_owned())
        })
    })?;
    if bytes.len() > MAX_SOURCE_BYTES {
        let message = format!("{} is larger than {} MB", path.display(), MAX_SOURCE_BYTES >> 20);
        return Err(Exception::throw_range(ctx, &message));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text))),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let message = format!(
                "{} is not UTF-8: the byte at offset {at} does not start a character",
                path.display()
            );
            Err(throw_with(ctx, "SyntaxError", &message, |object| {
                object.set("fileName", path.to_string_lossy().into_owned())
            }))
        }
    }
}

/// Throws an error with additional properties.
fn throw_with<'js>(
    ctx: &Ctx<'js>,
    class: &str,
    message: &str,
    fill: impl FnOnce(&Object<'js>) -> Result<()>,
) -> Error {
    let make = || -> Result<Object<'js>> {
        let object = Exception::from_message(ctx.clone(), message)?.into_object();
        object.set("name", class)?;
        fill(&object)?;
        Ok(object)
    };
    match make() {
        Ok(object) => ctx.throw(object.into_value()),
        Err(error) => error,
    }
}

/// Text and JSON are data: importing them runs nothing.
fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Refuses a file that the gate does not allow.
fn throw_untrusted(ctx: &Ctx<'_>, path: &Path, importer: Option<&str>) -> Error {
    let shown = path.display();
    let from = importer.map(|importer| format!(" (imported from {importer})")).unwrap_or_default();
    let message = format!("{shown} is not trusted, so it may not run{from}");
    throw_with(ctx, "Error", &message, |object| {
        object.set("code", "ERR_ACCESS_DENIED")?;
        object.set("hint", format!("To trust this file, run: toolsmith trust {shown}"))
    })
}

fn is_installed(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "node_modules")
}

/// Returns the path without `.` and `..`, by its text.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(result.pop()),
            part => result.push(part),
        }
    }
    result
}

fn throw_not_found(ctx: &Ctx<'_>, missing: &NotFound) -> Error {
    throw_with(ctx, "Error", &missing.message, |object| {
        object.set("code", "ERR_MODULE_NOT_FOUND")?;
        match &missing.package {
            Some(package) => object.set("missingPackage", package.as_str()),
            None => Ok(()),
        }
    })
}

fn throw_syntax(ctx: &Ctx<'_>, name: &str, source: &str, problem: &SyntaxProblem) -> Error {
    let (line, column) = line_and_column(source, problem.offset);
    throw_with(ctx, "SyntaxError", &problem.message, |object| {
        object.set("fileName", name)?;
        object.set("lineNumber", line)?;
        object.set("columnNumber", column)?;
        object.set("hint", problem.help.as_deref())
    })
}

fn throw_native(ctx: &Ctx<'_>, name: &str, what: &str) -> Error {
    let message = format!("{name} is {what}, which the embedded engine cannot run");
    throw_with(ctx, "Error", &message, |object| object.set("code", "ERR_DLOPEN_FAILED"))
}

/// Returns a JavaScript string literal. A JSON string is one.
pub(super) fn js_string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn file_url(path: &Path) -> String {
    url::Url::from_file_path(path).map_or_else(|()| format!("file://{}", path.display()), String::from)
}
