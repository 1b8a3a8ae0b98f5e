//! CommonJS files: as importable modules, and as functions for `require`.

use rquickjs::{Ctx, Function, Module, Result, module::Declared};

use super::{
    store::{COMMON_JS, ModuleStore, js_string},
    transform::COMMON_JS_HEAD,
};
use crate::stop::StopFlags;

impl ModuleStore {
    /// Wraps a CommonJS file as a module: it runs immediately, so that its exports are known by name.
    pub(super) fn load_common_js<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
        let common_js = self.builtin_exports(ctx, COMMON_JS)?;
        let names: Vec<String> = common_js.get::<_, Function<'_>>("exportNames")?.call((name,))?;
        let mut code = format!(
            "import {{ exportsOf }} from {COMMON_JS:?};\nconst all = exportsOf({});\n\
             export {{ all as default, all as \"module.exports\" }};\n",
            js_string(name)
        );
        let own = ["default", "module.exports"];
        for (number, export) in names.iter().filter(|export| !own.contains(&export.as_str())).enumerate() {
            let export = js_string(export);
            code.push_str(&format!(
                "const e{number} = all[{export}];\nexport {{ e{number} as {export} }};\n"
            ));
        }
        self.declare(ctx, name, code)
    }

    /// Compiles the function that runs a CommonJS file.
    pub(crate) fn common_js_function<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Function<'js>> {
        let (code, source) = self.take_code(ctx, name)?;
        let code = without_hashbang(code.as_deref().unwrap_or(&source));
        compile_function(ctx, self.stop(), name, format!("{COMMON_JS_HEAD}{code}\n}})"))
    }
}

/// Compiles a function expression under the name shown in errors.
fn compile_function<'js>(
    ctx: &Ctx<'js>,
    stop: &StopFlags,
    name: &str,
    code: String,
) -> Result<Function<'js>> {
    let mut options = rquickjs::context::EvalOptions::default();
    options.strict = false;
    options.filename = Some(name.to_owned());
    // The expression only creates a function, so no code of it runs without limits.
    stop.while_compiling(|| ctx.eval_with_options(code, options))
}

fn without_hashbang(code: &str) -> &str {
    if code.starts_with("#!") { code.find('\n').map_or("", |end| &code[end..]) } else { code }
}
