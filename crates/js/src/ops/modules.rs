//! Module loading for CommonJS: synchronous resolving, reading and compiling.

use std::{path::Path, rc::Rc};

use rquickjs::{Ctx, Exception, Function, Object, Result, function::Func};
use serde_json::json;

use crate::{
    instance::ThreadState,
    modules::{Format, Target},
};

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    let resolve = move |ctx: Ctx<'js>, file: String, specifier: String| -> Result<String> {
        own.modules.note_import(&file, &specifier);
        let (kind, name) = match own.modules.resolve_from(&ctx, &file, &specifier, true)? {
            Target::Builtin(name) => ("builtin", name),
            Target::Elsewhere => ("missing", specifier),
            Target::File(path) => ("file", path.to_string_lossy().into_owned()),
        };
        Ok(json!({ "kind": kind, "name": name }).to_string())
    };
    host.set("resolveRequire", Func::from(resolve))?;
    let own = Rc::clone(state);
    let is_module = move |ctx: Ctx<'js>, path: String| -> Result<bool> {
        Ok(own.modules.prepare(&ctx, &path)? == Format::EsModule)
    };
    host.set("isEsModule", Func::from(is_module))?;
    let own = Rc::clone(state);
    let compile = move |ctx: Ctx<'js>, path: String| -> Result<Function<'js>> {
        own.modules.common_js_function(&ctx, &path)
    };
    host.set("commonJsFunction", Func::from(compile))?;
    let own = Rc::clone(state);
    let load =
        move |ctx: Ctx<'js>, path: String| -> Result<Object<'js>> { own.modules.module_exports(&ctx, &path) };
    host.set("loadModule", Func::from(load))?;
    let own = Rc::clone(state);
    let read = move |ctx: Ctx<'js>, path: String| -> Result<String> {
        own.modules.note_consulted(Path::new(&path));
        std::fs::read_to_string(Path::new(&path))
            .map_err(|error| Exception::throw_message(&ctx, &format!("Cannot read {path}: {error}")))
    };
    host.set("readText", Func::from(read))
}
