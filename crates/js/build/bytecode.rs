//! Compiles modules to bytecode and writes the table that the crate includes. The build script links the same engine as
//! the crate, so the bytecode is compatible.

use std::{fmt::Write, fs, path::Path};

use rquickjs::{
    CatchResultExt, Context, Ctx, Module, Runtime, WriteOptions,
    loader::{ImportAttributes, Loader, Resolver},
    module::Declared,
};

use super::prepare::{files_below, read};

/// A module to be built in.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) code: String,
}

/// Our own modules besides the kernel: `js/web/url.js` is `toolsmith:web/url`.
pub(crate) fn own_modules() -> Vec<Source> {
    let files = files_below(Path::new("js")).into_iter();
    files
        .filter(|path| path.extension().is_some_and(|extension| extension == "js"))
        .filter(|path| !path.starts_with("js/kernel") && !path.starts_with("js/sidecar"))
        .map(|path| Source {
            name: format!("toolsmith:{}", name_of(&path, Path::new("js"))),
            code: read(&path),
        })
        .collect()
}

/// The kernel and the libraries of a prepared folder: `npm/zod/index.js` is `toolsmith:npm/zod/index`.
pub(crate) fn prepared_modules(folder: &Path) -> Vec<Source> {
    let kernel = Source { name: "toolsmith:kernel".to_owned(), code: read(&folder.join("kernel.js")) };
    let libraries = files_below(&folder.join("npm"))
        .into_iter()
        .map(|path| Source { name: format!("toolsmith:{}", name_of(&path, folder)), code: read(&path) });
    libraries.chain([kernel]).collect()
}

fn name_of(path: &Path, root: &Path) -> String {
    let name = path.with_extension("");
    name.strip_prefix(root).unwrap_or(&name).to_string_lossy().replace('\\', "/")
}

/// Compiles every module into `out` and writes `builtin_modules.rs`, sorted by name.
pub(crate) fn compile(mut modules: Vec<Source>, out: &Path) {
    modules.sort_by(|one, other| one.name.cmp(&other.name));
    let folder = out.join("bytecode");
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut table = String::from("&[\n");
    for (index, module) in modules.iter().enumerate() {
        let path = folder.join(format!("{index}.bin"));
        fs::write(&path, compile_one(module)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let _ = writeln!(table, "    ({:?}, include_bytes!({:?})),", module.name, path);
    }
    table.push(']');
    let path = out.join("builtin_modules.rs");
    fs::write(&path, table).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn compile_one(source: &Source) -> Vec<u8> {
    let runtime = Runtime::new().unwrap_or_else(|error| panic!("the engine failed to start: {error}"));
    runtime.set_max_stack_size(0);
    runtime.set_loader(Anything, Anything);
    let context =
        Context::full(&runtime).unwrap_or_else(|error| panic!("the engine failed to start: {error}"));
    context.with(|ctx| {
        let module = Module::declare(ctx.clone(), source.name.as_str(), source.code.as_str());
        let module = module.catch(&ctx).unwrap_or_else(|error| panic!("{}: {error}", source.name));
        // Positions are kept for errors in libraries; the source text of functions is not.
        let options = WriteOptions { strip_source: true, ..WriteOptions::default() };
        module.write(options).unwrap_or_else(|error| panic!("{}: {error}", source.name))
    })
}

/// Resolves every name to an empty module: compiling resolves imports but does not inspect them.
struct Anything;

impl Resolver for Anything {
    fn resolve<'js>(
        &mut self,
        _ctx: &Ctx<'js>,
        _base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        Ok(name.to_owned())
    }
}

impl Loader for Anything {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        Module::declare(ctx.clone(), name, "")
    }
}
